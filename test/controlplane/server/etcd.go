package main

import (
	"flag"
	"fmt"
	"net/url"
	"os"

	"go.etcd.io/etcd/server/v3/embed"
)

// runEtcd serves a single member over a Unix socket and writes "ready" once it answers. Nothing is synced to disk: its
// data ends with the test.
func runEtcd(arguments []string) int {
	flags := flag.NewFlagSet("etcd", flag.ExitOnError)
	folder := flags.String("data-dir", "", "folder of the data")
	socket := flags.String("socket", "", "path of the Unix socket that clients connect to")
	_ = flags.Parse(arguments)

	clients := []url.URL{{Scheme: "unix", Path: *socket}}
	loopback := []url.URL{{Scheme: "http", Host: "127.0.0.1:0"}}
	config := embed.NewConfig()
	config.Dir = *folder
	config.LogLevel = "warn"
	config.UnsafeNoFsync = true
	config.ListenClientUrls = clients
	// There is no other member, and nobody asks this one where it is; etcd only insists on a port.
	config.AdvertiseClientUrls = loopback
	config.ListenPeerUrls, config.AdvertisePeerUrls = loopback, loopback
	config.InitialCluster = config.InitialClusterFromName(config.Name)

	member, err := embed.StartEtcd(config)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	<-member.Server.ReadyNotify()
	fmt.Println("ready")
	fmt.Fprintln(os.Stderr, <-member.Err())
	return 1
}
