package align

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/internal/outcome"
)

func TestCompare(t *testing.T) {
	for _, tt := range []struct {
		name                string
		deployed, candidate []outcome.Run
		want                []string
	}{
		{"nothing changed", runs(), runs(), []string{}},
		{
			"reworded",
			runs(`info config config.go "Successfully loaded settings" 2 path=/etc/app.yaml`),
			runs(`info config config.go "Settings loaded" 2 path=/etc/app.yaml`),
			[]string{"message-reworded: Successfully loaded settings -> Settings loaded"},
		},
		{
			"reworded, function moved and a key renamed",
			runs(`info queue queue.go "Queue of claim changed, updating" 12 oldQueue=red,blue claim=claim-1,claim-2`),
			runs(`info queue router.go "Claim queue was changed, update follows" 12 previousQueue=red,blue claim=claim-1,claim-2`),
			[]string{"message-reworded+field-renamed: Queue of claim changed, updating -> Claim queue was changed, update follows renamed:oldQueue>previousQueue"},
		},
		{
			"few words in common, but all else agrees",
			runs(`info lease lease.go "Took over leadership" 12 holderIdentity=replica-a,replica-b term/number=10001,10002`),
			runs(`info lease lease.go "Elected" 12 holderIdentity=replica-a,replica-b term/number=10001,10002`),
			[]string{"message-reworded: Took over leadership -> Elected"},
		},
		{
			"no word in common, but as often and of the same things",
			runs(`info pod pod.go "Took over" 24 pod=web-1,web-2`),
			runs(`info pod pod.go "Elected" 24 pod=web-1,web-2`),
			[]string{"message-reworded: Took over -> Elected"},
		},
		{
			"no word in common, and of the same things, but not as often",
			runs(`info pod pod.go "Took over" 24 pod=web-1,web-2`),
			runs(`info pod pod.go "Elected" 25 pod=web-1,web-2`),
			[]string{"message-removed: Took over -> ", "message-added:  -> Elected"},
		},
		{
			"few words in common, and others of the same place",
			runs(`info pod pod.go "Took over" 12 pod=web-1,web-2`),
			runs(`info pod pod.go "Elected" 12 pod=web-1,web-2`, `info pod pod.go "Chosen" 12 pod=web-1,web-2`),
			[]string{"message-removed: Took over -> ", "message-added:  -> Chosen", "message-added:  -> Elected"},
		},
		{
			"the contrary is no rewording",
			runs(`info link link.go "Link to site opened" 12 site=east`),
			runs(`info link link.go "Link to site closed" 12 site=east`),
			[]string{"message-removed: Link to site opened -> ", "message-added:  -> Link to site closed"},
		},
		{
			"an end is no new beginning",
			runs(`info link link.go "Watch of site ended" 12 site=east`),
			runs(`info link link.go "Watch of site resumed" 12 site=east`),
			[]string{"message-removed: Watch of site ended -> ", "message-added:  -> Watch of site resumed"},
		},
		{
			"a clause after a value is no value",
			runs(`info lot lot.go "Lot <*> was sold, price since opening was <*>" 12 lot=a,b`),
			runs(`info lot lot.go "Lot <*> was sold" 12 lot=a,b`, `info lot lot.go "Price since opening was <*>" 12 lot=a,b`),
			[]string{"granularity-changed: Lot <*> was sold, price since opening was <*> -> Lot <*> was sold | Price since opening was <*>"},
		},
		{
			"the contrary, with the same sentence in a field",
			runs(`info link link.go "Watch of site ended" 12 site=east why*=too old resource version`),
			runs(`info link link.go "Watch of site resumed" 12 site=east why*=too old resource version`),
			[]string{"message-removed: Watch of site ended -> ", "message-added:  -> Watch of site resumed"},
		},
		{
			"a value of several words is one",
			runs(`info lot lot.go "Lots <*> were sold" 12 lot=a,b`),
			runs(`info lot lot.go "Lots east-a, west-b were sold" 12 lot=a,b`),
			[]string{},
		},
		{
			"a negation is no rewording",
			runs(`info link link.go "Object was found in cache" 12 site=east`),
			runs(`info link link.go "Object was not found in cache" 12 site=east`),
			[]string{"message-removed: Object was found in cache -> ", "message-added:  -> Object was not found in cache"},
		},
		{
			"contrary, as base forms tell",
			runs(`info link link.go "Lease of site acquired" 12 site=east`),
			runs(`info link link.go "Lease of site lost" 12 site=east`),
			[]string{"message-removed: Lease of site acquired -> ", "message-added:  -> Lease of site lost"},
		},
		{
			"a mask stands for no word that says what happened",
			runs(`info link link.go "Winch <*> engaged for lift" 12 site=east`),
			runs(`info link link.go "Winch not engaged for lift" 12 site=east`),
			[]string{"message-removed: Winch <*> engaged for lift -> ", "message-added:  -> Winch not engaged for lift"},
		},
		{
			"names that varied on one build only",
			runs(`info q q.go "Queue <*> was drained" 12`),
			runs(`info q q.go "Queue alpha was drained" 6`, `info q q.go "Queue bravo was drained" 6`),
			[]string{},
		},
		{
			"a prefix for all, and contrary messages in one place",
			runs(`info hoist lift.go "Lift of crate started" 20 crate=c-1`, `info hoist lift.go "Lift of crate finished" 20 crate=c-1`),
			runs(`info hoist lift.go "gantry: Lift of crate started" 20 crate=c-1`, `info hoist lift.go "gantry: Lift of crate finished" 20 crate=c-1`),
			[]string{
				"message-reworded: Lift of crate finished -> gantry: Lift of crate finished",
				"message-reworded: Lift of crate started -> gantry: Lift of crate started",
			},
		},
		{
			"contrary messages are no parts of one",
			runs(`info hoist lift.go "Lift of crate started" 20 crate=c-1`),
			runs(`info hoist lift.go "Lift of crate failed" 10 crate=c-1`, `info hoist lift.go "Lift of crate aborted" 10 crate=c-1`),
			[]string{"message-removed: Lift of crate started -> ", "message-added:  -> Lift of crate aborted", "message-added:  -> Lift of crate failed"},
		},
		{
			"what a logger says of all is no wording in common",
			runs(scale(`info scale sync.go "Scale state synchronised" 12 scale=s-1 reason=wet`)...),
			runs(scale(`info scale sync.go "Scale quota examined" 13 scale=s-1`)...),
			[]string{"message-removed: Scale state synchronised -> ", "message-added:  -> Scale quota examined"},
		},
		{
			"nor does it make parts of a message",
			runs(scale(`info scale sync.go "Deleting stale scale entry" 12 scale=s-1`)...),
			runs(scale(`info scale sync.go "Removing outdated scale record" 12 scale=s-1`, `info scale sync.go "Planning next move of scale" 12 scale=s-1`)...),
			[]string{"message-removed: Deleting stale scale entry -> ", "message-added:  -> Planning next move of scale", "message-added:  -> Removing outdated scale record"},
		},
		{
			"a case named in the text became a field",
			runs(`info berth place.go "Placed crate on north-berth" 10 crate=c-1`, `info berth place.go "Placed crate on south-berth" 10 crate=c-2`),
			runs(`info berth place.go "Placed crate" 20 crate=c-1,c-2 berth=north,south`),
			[]string{"granularity-changed+field-gained: Placed crate on north-berth | Placed crate on south-berth -> Placed crate gained:berth"},
		},
		{
			"an error moved into the text",
			runs(`error scale weigh.go "Could not weigh crate" 20 crate=c-1 error*=dial tcp <*>: connection refused`),
			runs(`error scale weigh.go "Could not weigh crate: dial tcp <*>: connection refused" 20 crate=c-1`),
			[]string{"message-reworded+field-lost: Could not weigh crate -> Could not weigh crate: dial tcp <*>: connection refused lost:error"},
		},
		{
			"moved to a field",
			runs(`info events rec.go "Volume <*> was attached" 20 reason=Attached object=db`, `info events rec.go "Backup of <*> finished" 20 reason=Backup object=db`),
			runs(`info events rec.go "Event" 40 reason=Attached,Backup object=db note*=Volume <*> was attached|Backup of <*> finished`),
			[]string{
				"message-moved-to-field: Backup of <*> finished -> note=Backup of <*> finished",
				"message-moved-to-field: Volume <*> was attached -> note=Volume <*> was attached",
			},
		},
		{
			"moved from a field",
			runs(`info events rec.go "Event" 40 reason=Attached,Backup object=db note*=Volume <*> was attached|Backup of <*> finished`),
			runs(`info events rec.go "Volume <*> was attached" 20 reason=Attached object=db`, `info events rec.go "Backup of <*> finished" 20 reason=Backup object=db`),
			[]string{
				"message-moved-to-field: note=Backup of <*> finished -> Backup of <*> finished",
				"message-moved-to-field: note=Volume <*> was attached -> Volume <*> was attached",
			},
		},
		{
			"split",
			runs(`info gpu gpu.go "Device allocated and attached to pod" 15 device=gpu-1 pod=web-1`),
			runs(`info gpu gpu.go "Device allocated" 15 device=gpu-1 pod=web-1`, `info gpu gpu.go "Device attached to pod" 15 device=gpu-1 pod=web-1`),
			[]string{"granularity-changed: Device allocated and attached to pod -> Device allocated | Device attached to pod"},
		},
		{
			"merged",
			runs(`info gpu gpu.go "Device allocated" 15 device=gpu-1 pod=web-1`, `info gpu gpu.go "Device attached to pod" 15 device=gpu-1 pod=web-1`),
			runs(`info gpu gpu.go "Device allocated and attached to pod" 15 device=gpu-1 pod=web-1`),
			[]string{"granularity-changed: Device allocated | Device attached to pod -> Device allocated and attached to pod"},
		},
		{
			"one record with a list in place of many",
			runs(`info gc gc.go "Deleting orphaned volume" 60 volume=vol-1,vol-2`),
			runs(`info gc gc.go "Deleting orphaned volumes" 4 volumes/array=`),
			[]string{"message-reworded+granularity-changed+field-lost+frequency-changed+field-gained: Deleting orphaned volume -> Deleting orphaned volumes lost:volume gained:volumes"},
		},
		{
			"level",
			runs(`warn disk disk.go "Disk is almost full" 7 disk=sda`), runs(`info disk disk.go "Disk is almost full" 7 disk=sda`),
			[]string{"level-changed: Disk is almost full -> Disk is almost full"},
		},
		{
			"one of two levels is gone",
			runs(`error rec rec.go "Sync failed" 90 error=no-link`, `V3 rec rec.go "Sync failed" 9 error=conflict`),
			runs(`V3 rec rec.go "Sync failed" 9 error=conflict`),
			[]string{"message-removed: Sync failed -> "},
		},
		{
			"verbosity",
			runs(`V2 disk disk.go "Disk probed" 7 disk=sda`), runs(`V4 disk disk.go "Disk probed" 7 disk=sda`),
			[]string{"level-changed: Disk probed -> Disk probed"},
		},
		{
			"hidden",
			runs(`V4 disk disk.go "Disk probed" 7 disk=sda`, `V4 disk disk.go "Volume checked" 7 disk=sda`, `V2 disk disk.go "Fan is fine" 7`),
			runs(`V2 disk disk.go "Fan is fine" 7`),
			[]string{"verbosity-hidden: Disk probed -> ", "verbosity-hidden: Volume checked -> "},
		},
		{
			"a single message above the verbosity may have been removed",
			runs(`V4 disk disk.go "Disk probed" 7 disk=sda`, `V2 disk disk.go "Fan is fine" 7`),
			runs(`V2 disk disk.go "Fan is fine" 7`),
			[]string{"message-removed: Disk probed -> "},
		},
		{
			"field lost",
			runs(`info nic nic.go "Link is up" 7 nic=eth0 object.name=web-1 object.uid=12ab-34cd`), runs(`info nic nic.go "Link is up" 7 nic=eth0 object.name=web-1`),
			[]string{"field-lost: Link is up -> Link is up lost:object.uid"},
		},
		{
			"field retyped",
			runs(`info nic nic.go "Link is up" 7 speed/number=1000`), runs(`info nic nic.go "Link is up" 7 speed/string=1000`),
			[]string{"field-type-changed: Link is up -> Link is up type-changed:speed"},
		},
		{
			"field renamed in spelling",
			runs(`info nic nic.go "Link is up" 7 nicName=eth0`), runs(`info nic nic.go "Link is up" 7 nic_name=eth9`),
			[]string{"field-renamed: Link is up -> Link is up renamed:nicName>nic_name"},
		},
		{
			"field renamed that holds sentences",
			runs(`error rec rec.go "Sync failed" 60 error*=no link to site|too many requests`, `error gc gc.go "Sweep failed" 60 error*=no link to site|too many requests`),
			runs(`error rec rec.go "Sync failed" 60 err*=no link to site|too many requests`, `error gc gc.go "Sweep failed" 60 err*=no link to site|too many requests`),
			[]string{
				"field-renamed: Sweep failed -> Sweep failed renamed:error>err",
				"field-renamed: Sync failed -> Sync failed renamed:error>err",
			},
		},
		{
			"field renamed that holds short names",
			runs(`info nic nic.go "Link is up" 30 bay=b1,b2,b3`), runs(`info nic nic.go "Link is up" 30 slot=b1,b2,b3`),
			[]string{"field-renamed: Link is up -> Link is up renamed:bay>slot"},
		},
		{
			"small numbers prove no renaming",
			runs(`info nic nic.go "Link is up" 30 bay=1,2,3`), runs(`info nic nic.go "Link is up" 30 slot=1,2,3`),
			[]string{"field-lost+field-gained: Link is up -> Link is up lost:bay gained:slot"},
		},
		{
			"field always null",
			runs(`info nic nic.go "Link is up" 7 driver=mlx5`), runs(`info nic nic.go "Link is up" 7 driver/null=`),
			[]string{"field-type-changed: Link is up -> Link is up type-changed:driver"},
		},
		{
			"fields of other values are not one renamed",
			runs(`info nic nic.go "Link is up" 7 driver=mlx5,ixgbe`), runs(`info nic nic.go "Link is up" 7 vendor=intel,nvidia`),
			[]string{"field-lost+field-gained: Link is up -> Link is up lost:driver gained:vendor"},
		},
		{
			"removed",
			runs(`info quota quota.go "Quota is used up" 30 queue=red`), runs(),
			[]string{"message-removed: Quota is used up -> "},
		},
		{
			"rare and removed",
			runs(`info quota quota.go "Quota is used up" 2 queue=red`), runs(),
			[]string{"message-removed: Quota is used up ->  weak"},
		},
		{
			"comes and goes on the deployed build",
			[]outcome.Run{runOf("drill", 1, `info bind bind.go "Pod is already bound" 2 pod=web-1`), runOf("drill", 2)}, runs(),
			[]string{},
		},
		{
			"frequency beyond noise",
			runs(`info poll poll.go "Polled" 100`), runs(`info poll poll.go "Polled" 10`),
			[]string{"frequency-changed: Polled -> Polled"},
		},
		{
			"frequency within noise",
			[]outcome.Run{runOf("drill", 1, `info poll poll.go "Polled" 100`), runOf("drill", 2, `info poll poll.go "Polled" 20`)},
			runs(`info poll poll.go "Polled" 10`),
			[]string{},
		},
		{
			"a sentence in a field is gone",
			runs(`error rec rec.go "Sync failed" 60 error*=no link to site|too many requests`),
			runs(`error rec rec.go "Sync failed" 60 error*=too many requests`),
			[]string{"message-removed: error=no link to site -> "},
		},
		{
			"a field becomes the logger",
			runs(`info - rec.go "Reconciling" 60 controller=disk`), runs(`info disk rec.go "Reconciling" 60`),
			[]string{"field-renamed: Reconciling -> Reconciling renamed:controller>logger"},
		},
		{
			"the logger's own fields are called otherwise",
			runs(`info nic nic.go "Link is up" 7 ts!time= level!level=info msg!message= logger!logger= caller!caller= nic=eth0`),
			runs(`info nic nic.go "Link is up" 7 time!time= severity!level=INFO message!message= module!logger= source!caller/object= nic=eth0`),
			[]string{"field-renamed: Link is up -> Link is up renamed:caller>source renamed:level>severity renamed:logger>module renamed:msg>message renamed:ts>time"},
		},
		{
			"levels are spelled otherwise",
			runs(`info nic nic.go "Link is up" 7 level!level=INFO`), runs(`info nic nic.go "Link is up" 7 level!level=info`),
			[]string{"level-spelled: Link is up -> Link is up level-spelled:level"},
		},
		{
			"another level is spelled otherwise anyway",
			runs(`info nic nic.go "Link is up" 7 level!level=info`), runs(`warn nic nic.go "Link is up" 7 level!level=warn`),
			[]string{"level-changed: Link is up -> Link is up"},
		},
		{
			"time and level are of another type",
			runs(`info nic nic.go "Link is up" 7 ts!time/string= level!level=INFO`), runs(`info nic nic.go "Link is up" 7 ts!time/number= level!level/number=30`),
			[]string{"field-type-changed: Link is up -> Link is up type-changed:level type-changed:ts"},
		},
		{
			"no level any more",
			runs(`info nic nic.go "Link is up" 7 level!level=info`), runs(`- nic nic.go "Link is up" 7`),
			[]string{"field-lost: Link is up -> Link is up lost:level"},
		},
		{
			"no message any more",
			runs(`info nic nic.go "Link is up" 7 msg!message= nic=eth0`), runs(`info nic nic.go "" 7 nic=eth0`),
			[]string{"field-lost: Link is up ->  lost:msg"},
		},
		{
			"no logger any more",
			runs(`info nic nic.go "Link is up" 7 logger!logger=`), runs(`info - nic.go "Link is up" 7`),
			[]string{"field-lost: Link is up -> Link is up lost:logger"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, told(Compare(tt.deployed, tt.candidate))); diff != "" {
				t.Errorf("changes differ (-want +got):\n%s", diff)
			}
			if got := told(Compare(tt.deployed, tt.deployed)); len(got) > 0 {
				t.Errorf("deployed against itself: %q", got)
			}
		})
	}
}
