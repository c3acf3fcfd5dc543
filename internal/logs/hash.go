package logs

import (
	"encoding/binary"
	"math/bits"
)

// Hash returns a hash of the set that is equal on every machine: XXH64 of all
// names and values, each followed by a byte 0xff. Loki orders entries of one
// time by this hash of their stream, so whoever wants its order needs the same.
func (ls Labels) Hash() uint64 {
	var b []byte
	for _, l := range ls {
		b = append(append(b, l.Name...), 0xff)
		b = append(append(b, l.Value...), 0xff)
	}
	return xxh64(b)
}

const (
	prime1 uint64 = 11400714785074694791
	prime2 uint64 = 14029467366897019727
	prime3 uint64 = 1609587929392839161
	prime4 uint64 = 9650029242287828579
	prime5 uint64 = 2870177450012600261
)

// xxh64 is XXH64 with seed 0, see
// https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md.
func xxh64(b []byte) uint64 {
	n := uint64(len(b))
	h := prime5
	if len(b) >= 32 {
		p1 := prime1
		v := [4]uint64{p1 + prime2, prime2, 0, -p1}
		for ; len(b) >= 32; b = b[32:] {
			for i := range v {
				v[i] = xxhRound(v[i], binary.LittleEndian.Uint64(b[8*i:]))
			}
		}
		h = bits.RotateLeft64(v[0], 1) + bits.RotateLeft64(v[1], 7) +
			bits.RotateLeft64(v[2], 12) + bits.RotateLeft64(v[3], 18)
		for _, x := range v {
			h = (h^xxhRound(0, x))*prime1 + prime4
		}
	}
	h += n
	for ; len(b) >= 8; b = b[8:] {
		h ^= xxhRound(0, binary.LittleEndian.Uint64(b))
		h = bits.RotateLeft64(h, 27)*prime1 + prime4
	}
	if len(b) >= 4 {
		h ^= uint64(binary.LittleEndian.Uint32(b)) * prime1
		h = bits.RotateLeft64(h, 23)*prime2 + prime3
		b = b[4:]
	}
	for _, c := range b {
		h ^= uint64(c) * prime5
		h = bits.RotateLeft64(h, 11) * prime1
	}
	h ^= h >> 33
	h *= prime2
	h ^= h >> 29
	h *= prime3
	return h ^ h>>32
}

func xxhRound(acc, lane uint64) uint64 {
	return bits.RotateLeft64(acc+lane*prime2, 31) * prime1
}
