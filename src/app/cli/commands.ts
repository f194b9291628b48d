/** The commands of `berth`, in the order in which help lists them. A command is loaded when it is called. */
import type { CommandRow } from '../command/command.js';

export const COMMANDS: readonly CommandRow[] = [
  {
    name: 'controller',
    summary: 'Run the controller: provisioning, disruption, scheduler extender, webhooks and dashboard',
    load: async () => (await import('./commands/service.js')).CONTROLLER,
  },
  {
    name: 'extender',
    summary: 'Run only the scheduler extender, as a read-only sidecar of kube-scheduler',
    load: async () => (await import('./commands/service.js')).EXTENDER,
  },
  {
    name: 'demo',
    summary: 'Run Berth in a simulated cluster and cloud on this computer',
    load: async () => (await import('./commands/demo.js')).DEMO,
  },
  {
    name: 'plan',
    summary: 'Plan nodes for the pods of manifests, without a cluster',
    load: async () => (await import('./commands/plan.js')).PLAN,
  },
  {
    name: 'validate',
    summary: 'Check policies and workloads, and report every issue at once',
    load: async () => (await import('./commands/validate.js')).VALIDATE,
  },
  {
    name: 'windows',
    summary: 'Show when nodes may be disrupted in the days to come',
    load: async () => (await import('./commands/windows.js')).WINDOWS,
  },
  {
    name: 'convert',
    summary: 'Rewrite v1alpha5 and v1beta1 policies as v1, or print those of a cluster',
    load: async () => (await import('./commands/convert.js')).CONVERT,
  },
  {
    name: 'explain',
    summary: 'Explain a field of a policy, or the state of a pod, node, NodeClaim or policy',
    load: async () => (await import('./commands/explain.js')).EXPLAIN,
  },
  {
    name: 'get',
    summary: 'List nodes, claims, policies, reservations, decisions or pods of a cluster',
    load: async () => (await import('./commands/get/get.js')).GET,
  },
  {
    name: 'cost',
    summary: 'Show the cost of pods by namespace, NodePool or label',
    load: async () => (await import('./commands/cost.js')).COST,
  },
  {
    name: 'report',
    summary: 'Report what Berth would have saved beside another system (--mode observe)',
    load: async () => (await import('./commands/report.js')).REPORT,
  },
  {
    name: 'adopt',
    summary: 'Take running nodes over from Karpenter or a node group, without replacing them',
    load: async () => (await import('./commands/handover.js')).ADOPT,
  },
  {
    name: 'release',
    summary: 'Give nodes back to Karpenter, without replacing them',
    load: async () => (await import('./commands/handover.js')).RELEASE,
  },
  {
    name: 'pause',
    summary: 'Stop launching and terminating instances until `berth resume`',
    load: async () => (await import('./commands/pause.js')).PAUSE,
  },
  {
    name: 'resume',
    summary: 'Launch and terminate instances again after `berth pause`',
    load: async () => (await import('./commands/pause.js')).RESUME,
  },
  {
    name: 'approve',
    summary: 'Approve launches and disruptions that wait (--mode approve)',
    load: async () => (await import('./commands/verdict.js')).APPROVE,
  },
  {
    name: 'reject',
    summary: 'Reject launches and disruptions that wait (--mode approve)',
    load: async () => (await import('./commands/verdict.js')).REJECT,
  },
  {
    name: 'doctor',
    summary: 'Check the installation, the cluster and the account, and say how to mend what is wrong',
    load: async () => (await import('./commands/doctor.js')).DOCTOR,
  },
  {
    name: 'uninstall',
    summary: 'Remove webhooks and policies, and drain the nodes or let them go',
    load: async () => (await import('./commands/uninstall.js')).UNINSTALL,
  },
  {
    name: 'ui',
    summary: 'Serve a read-only dashboard of a cluster, and print its address',
    load: async () => (await import('./commands/ui.js')).UI,
  },
  {
    name: 'catalog',
    summary: 'List instance types with their resources and prices',
    load: async () => (await import('./commands/catalog.js')).CATALOG,
  },
  {
    name: 'certs',
    summary: 'Create or renew the certificates of a local setup',
    load: async () => (await import('./commands/certs.js')).CERTS,
  },
  {
    name: 'completion',
    summary: 'Print a script that completes commands and flags in bash, zsh or fish',
    load: async () => (await import('./commands/completion.js')).COMPLETION,
  },
];
