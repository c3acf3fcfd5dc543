// Package profile reads profiles: data files that say what is special to one component.
package profile
