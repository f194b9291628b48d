// Command controlplane is etcd, kube-apiserver, kube-scheduler and kube-controller-manager in one binary, so that
// tests meet real ones on a host without a cluster. Each is a subcommand and takes its own flags.
package main

import (
	"fmt"
	"io"
	"os"

	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

// Feature gates and metrics are global to a process, which is why these are processes and not goroutines of one.
var components = map[string]func(arguments []string) int{
	"etcd":                    runEtcd,
	"kube-apiserver":          func([]string) int { return cli.Run(apiserver.NewAPIServerCommand()) },
	"kube-scheduler":          func([]string) int { return cli.Run(scheduler.NewSchedulerCommand()) },
	"kube-controller-manager": func([]string) int { return cli.Run(controllermanager.NewControllerManagerCommand()) },
}

func main() {
	if len(os.Args) < 2 || components[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: controlplane etcd|kube-apiserver|kube-scheduler|kube-controller-manager [flags]")
		os.Exit(2)
	}
	go endWithInput()
	os.Args = os.Args[1:]
	os.Exit(components[os.Args[0]](os.Args[1:]))
}

// endWithInput ends the process when its standard input closes: whoever started it holds the other end, and the
// kernel closes that however the starter ends, SIGKILL included.
func endWithInput() {
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}
