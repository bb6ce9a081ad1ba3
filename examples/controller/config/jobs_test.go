package config

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

// jobs is the folder with the manifests of the Jobs.
const jobs = "../../audit-job/"

func TestJobRunsOneShardPerIndex(t *testing.T) {
	for _, file := range []string{"job.yaml", "ready.yaml"} {
		t.Run(file, func(t *testing.T) { oneShardPerIndex(t, file) })
	}
}

func oneShardPerIndex(t *testing.T, file string) {
	job := find[*batchv1.Job](t, load(t, jobs+file))
	spec := job.Spec
	require.Equal(t, batchv1.IndexedCompletion, *spec.CompletionMode)
	require.LessOrEqual(t, *spec.Parallelism, *spec.Completions)
	require.LessOrEqual(t, *spec.MaxFailedIndexes, *spec.Completions)
	require.NotNil(t, spec.BackoffLimitPerIndex, "a failed shard is retried alone")
	require.Nil(t, spec.BackoffLimit)
	container := spec.Template.Spec.Containers[0]
	require.Equal(t, strconv.Itoa(int(*spec.Completions)), variable(t, container, "SHARDS"))
	require.Contains(t, container.Args[0], `--shard "$JOB_COMPLETION_INDEX/$SHARDS"`)
	for _, rule := range spec.PodFailurePolicy.Rules {
		require.Contains(t, []batchv1.PodFailurePolicyAction{batchv1.PodFailurePolicyActionIgnore, batchv1.PodFailurePolicyActionFailJob}, rule.Action)
		if rule.OnExitCodes != nil {
			require.Equal(t, container.Name, *rule.OnExitCodes.ContainerName)
			require.Equal(t, batchv1.PodFailurePolicyOnExitCodesOpIn, rule.OnExitCodes.Operator)
			require.Equal(t, []int32{2}, rule.OnExitCodes.Values)
		}
	}
}

// variable is the value of a variable of a container's environment.
func variable(t *testing.T, c corev1.Container, name string) string {
	t.Helper()
	i := slices.IndexFunc(c.Env, func(v corev1.EnvVar) bool { return v.Name == name })
	require.GreaterOrEqual(t, i, 0, name)
	return c.Env[i].Value
}

// TestManifestsAreSound checks properties that neither the types nor the API
// server enforce.
func TestManifestsAreSound(t *testing.T) {
	claim := find[*corev1.PersistentVolumeClaim](t, load(t, jobs+"job.yaml"))
	require.Equal(t, []corev1.PersistentVolumeAccessMode{corev1.ReadWriteMany}, claim.Spec.AccessModes)
	require.Equal(t, 1, claim.Spec.Resources.Requests.Storage().Cmp(resource.MustParse("100Mi")))
	requireNamed(t, claim.ObjectMeta)
	for _, file := range []string{"job.yaml", "merge.yaml", "ready.yaml", "ready-merge.yaml"} {
		job := find[*batchv1.Job](t, load(t, jobs+file))
		requireNamed(t, job.ObjectMeta)
		require.Equal(t, job.Labels, job.Spec.Template.Labels)
		pod := job.Spec.Template.Spec
		require.Equal(t, corev1.RestartPolicyNever, pod.RestartPolicy, "a pod failure policy requires it")
		require.True(t, *pod.SecurityContext.RunAsNonRoot)
		require.Equal(t, corev1.SeccompProfileTypeRuntimeDefault, pod.SecurityContext.SeccompProfile.Type)
		volumes := make(map[string]bool)
		for _, v := range pod.Volumes {
			require.Empty(t, validation.IsDNS1123Label(v.Name))
			volumes[v.Name] = true
			if v.PersistentVolumeClaim != nil {
				require.Equal(t, claim.Name, v.PersistentVolumeClaim.ClaimName)
			}
		}
		for _, c := range pod.Containers {
			require.Empty(t, validation.IsDNS1123Label(c.Name))
			require.NotEmpty(t, c.Image)
			require.Equal(t, corev1.PullIfNotPresent, c.ImagePullPolicy)
			require.False(t, *c.SecurityContext.AllowPrivilegeEscalation)
			require.True(t, *c.SecurityContext.ReadOnlyRootFilesystem)
			require.LessOrEqual(t, c.Resources.Requests.Memory().Cmp(*c.Resources.Limits.Memory()), 0)
			require.Equal(t, len(volumes), len(c.VolumeMounts))
			for _, m := range c.VolumeMounts {
				require.True(t, volumes[m.Name], m.Name)
			}
			for _, e := range c.Env {
				require.Empty(t, validation.IsEnvVarName(e.Name))
			}
		}
	}
}

func requireNamed(t *testing.T, m metav1.ObjectMeta) {
	t.Helper()
	require.Empty(t, validation.IsDNS1123Subdomain(m.Name))
	for key, value := range m.Labels {
		require.Empty(t, validation.IsQualifiedName(key))
		require.Empty(t, validation.IsValidLabelValue(value))
	}
}

// run executes the command of a manifest's container, with a fake resolute
// that prints its arguments and returns the given exit status.
func run(t *testing.T, file, results string, status int, env ...string) error {
	t.Helper()
	container := find[*batchv1.Job](t, load(t, jobs+file)).Spec.Template.Spec.Containers[0]
	bin := t.TempDir()
	fake := fmt.Sprintf("#!/bin/sh\necho \"$@\"\nexit %d\n", status)
	require.NoError(t, os.WriteFile(filepath.Join(bin, "resolute"), []byte(fake), 0o755))
	cmd := exec.Command(container.Command[0], append(container.Command[1:], container.Args...)...)
	for _, v := range container.Env {
		cmd.Env = append(cmd.Env, v.Name+"="+v.Value)
	}
	cmd.Env = append(cmd.Env, "PATH="+bin+":"+os.Getenv("PATH"), "RESULTS="+results)
	cmd.Env = append(cmd.Env, env...)
	return cmd.Run()
}

// scripts are the Jobs with their outputs and expected arguments.
var scripts = []struct{ file, shard, arguments, merge, merged, command string }{
	{"job.yaml", "shard", "audit --shard 3/8 -o json /catalog/community.jsonl.gz", "merge.yaml", "audit", "audit"},
	{"ready.yaml", "ready", "ready --shard 3/8 -o json --next openshift-marketplace/community-operators=/catalog/community.jsonl.gz --openshift 4.20 /scenarios", "ready-merge.yaml", "ready", "ready"},
}

// TestScriptOfTheShards: findings (exit status 1) produce a result; a worse
// status produces none and is returned.
func TestScriptOfTheShards(t *testing.T) {
	for _, s := range scripts {
		for _, status := range []int{0, 1} {
			results := t.TempDir()
			require.NoError(t, run(t, s.file, results, status, "JOB_COMPLETION_INDEX=3"))
			got, err := os.ReadFile(filepath.Join(results, s.shard+"-3.jsonl"))
			require.NoError(t, err)
			require.Equal(t, s.arguments+"\n", string(got))
		}
		for _, status := range []int{2, 3, 137} {
			results := t.TempDir()
			var exit *exec.ExitError
			require.ErrorAs(t, run(t, s.file, results, status, "JOB_COMPLETION_INDEX=3"), &exit)
			require.Equal(t, status, exit.ExitCode())
			require.NoFileExists(t, filepath.Join(results, s.shard+"-3.jsonl"))
		}
		require.Error(t, run(t, s.file, t.TempDir(), 0), "there is no index outside of an Indexed Job")
	}
}

func TestScriptOfTheMerge(t *testing.T) {
	for _, s := range scripts {
		results := t.TempDir()
		var shards []string
		for i := range 3 {
			shards = append(shards, filepath.Join(results, fmt.Sprintf("%s-%d.jsonl", s.shard, i)))
			require.NoError(t, os.WriteFile(shards[i], nil, 0o644))
		}
		require.NoError(t, run(t, s.merge, results, 1))
		for _, form := range []string{"json", "text", "html"} {
			got, err := os.ReadFile(filepath.Join(results, s.merged+"."+form))
			require.NoError(t, err)
			require.Equal(t, s.command+" --merge -o "+form+" "+strings.Join(shards, " ")+"\n", string(got))
		}
		require.Error(t, run(t, s.merge, t.TempDir(), 2))
	}
}
