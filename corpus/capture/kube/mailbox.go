package kube

import (
	"context"
	"sync"
)

// A mailbox holds the looks at one container that its follower has not taken
// yet: the latest of each pod that had the name, in their order.
type mailbox struct {
	mu    sync.Mutex
	looks []*look
	bell  chan struct{}
}

func newMailbox() *mailbox { return &mailbox{bell: make(chan struct{}, 1)} }

// put adds a look.
func (m *mailbox) put(l *look) {
	m.mu.Lock()
	if n := len(m.looks); n > 0 && m.looks[n-1].pod.Metadata.UID == l.pod.Metadata.UID {
		m.looks[n-1] = l
	} else {
		m.looks = append(m.looks, l)
	}
	m.mu.Unlock()
	select {
	case m.bell <- struct{}{}:
	default:
	}
}

// take returns the next look, nil if there is none.
func (m *mailbox) take() *look {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.looks) == 0 {
		return nil
	}
	l := m.looks[0]
	m.looks = m.looks[1:]
	return l
}

// wait waits for a look, and returns nil when ctx is done.
func (m *mailbox) wait(ctx context.Context) *look {
	for {
		if l := m.take(); l != nil {
			return l
		}
		select {
		case <-ctx.Done():
			return nil
		case <-m.bell:
		}
	}
}

// peek returns what take would, and leaves it.
func (m *mailbox) peek() *look {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.looks) == 0 {
		return nil
	}
	return m.looks[0]
}

// any reports whether there is a look to take.
func (m *mailbox) any() bool { return m.peek() != nil }
