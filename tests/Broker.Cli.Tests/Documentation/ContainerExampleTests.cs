using Broker.Cli.Tests.Starting;
using YamlDotNet.Serialization;

namespace Broker.Cli.Tests.Documentation;

/// <summary>
/// The examples for Compose, Kubernetes and the Helm chart of NATS: they parse, and start valid command lines of this
/// program with the configuration beside them.
/// </summary>
public sealed class ContainerExampleTests : IDisposable
{
    private const string ConfigurationPath = "/etc/broker/broker.conf";

    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task The_broker_of_the_compose_file_starts_and_answers_its_health_check()
    {
        Node services = Node.Read("eng/docker/compose.yml")["services"];
        Node broker = services["broker"];
        Assert.Equal("eng/docker/Dockerfile", broker["build"]["dockerfile"].Text);
        Assert.Equal($"./broker.conf:{ConfigurationPath}:ro", Assert.Single(broker["volumes"].Texts));
        string[] check = broker["healthcheck"]["test"].Texts;
        Assert.Equal(["CMD", "/usr/bin/broker"], check[..2]);

        await RealRun.WhileServingAsync(
            async addresses =>
            {
                RealRun run = await RealRun.Of([.. check[2..], "-s", addresses.Nats[0]]);
                Assert.True(run.ExitCode == ExitCode.Success, run.Said);
            },
            WithFreePorts(broker["command"].Texts));
    }

    [Fact]
    public async Task The_listener_of_the_compose_file_has_a_valid_command_line_and_waits_for_the_broker()
    {
        Node listener = Node.Read("eng/docker/compose.yml")["services"]["listener"];
        Assert.Equal("service_healthy", listener["depends_on"]["broker"]["condition"].Text);
        Assert.StartsWith("nats://broker:", listener["environment"]["NATS_URL"].Text, StringComparison.Ordinal);

        // The flags are known: the only error is that of the flag that is not.
        RealRun run = await RealRun.Of([.. listener["command"].Texts, "--no-such-flag"]);

        Assert.Equal(ExitCode.Usage, run.ExitCode);
        Assert.Contains("--no-such-flag", run.Error, StringComparison.Ordinal);
        Assert.DoesNotContain("--wait", run.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_container_of_Kubernetes_starts_and_its_probes_find_a_healthy_page()
    {
        Node[] documents = Node.ReadAll("eng/docker/kubernetes.yml");
        Assert.Equal(["Deployment", "Service"], documents.Select(static document => document["kind"].Text));
        Node pod = documents[0]["spec"]["template"]["spec"];
        Node container = pod["containers"].Items[0];
        string[] ports = [.. container["ports"].Items.Select(static port => port["name"].Text)];
        Assert.All(documents[1]["spec"]["ports"].Items, port => Assert.Contains(port["targetPort"].Text, ports));
        Assert.Equal(ConfigurationPath, container["volumeMounts"].Items[0]["mountPath"].Text + "/broker.conf");
        Node[] probes = [container["startupProbe"]["httpGet"], container["readinessProbe"]["httpGet"], container["livenessProbe"]["httpGet"]];
        Assert.All(probes, static probe => Assert.Equal("monitor", probe["port"].Text));

        await RealRun.WhileServingAsync(
            async addresses =>
            {
                using var http = new HttpClient { BaseAddress = new Uri(addresses.Monitoring[0]) };
                foreach (Node probe in probes)
                {
                    using HttpResponseMessage answer = await http.GetAsync(probe["path"].Text, TestContext.Current.CancellationToken);
                    Assert.True(answer.IsSuccessStatusCode);
                }
            },
            WithFreePorts(container["args"].Texts));
    }

    [Theory]
    [InlineData("Kubernetes")]
    [InlineData("chart")]
    public async Task The_command_before_the_stop_asks_for_lame_duck_mode(string example)
    {
        string[] command = example == "chart"
            ? Node.Read("eng/docker/nats-chart-values.yml")["container"]["patch"].Items.Single(static patch => patch["op"].Text == "replace")["value"].Texts
            : Node.ReadAll("eng/docker/kubernetes.yml")[0]["spec"]["template"]["spec"]["containers"].Items[0]["lifecycle"]["preStop"]["exec"]["command"].Texts;
        Assert.Equal("/usr/bin/broker", command[0]);
        Assert.StartsWith("ldm=", command[^1], StringComparison.Ordinal);

        // No process has this number.
        RealRun run = await RealRun.Of([.. command[1..^1], "ldm=999999999"]);

        Assert.Equal(ExitCode.Failure, run.ExitCode);
    }

    [Fact]
    public async Task The_arguments_and_the_configuration_of_the_chart_start_the_broker()
    {
        var values = Node.Read("eng/docker/nats-chart-values.yml");
        Node serve = values["container"]["patch"].Items.Single(static patch => patch["op"].Text == "add");
        Assert.Equal("/args/0", serve["path"].Text);
        Node merged = values["config"]["merge"];
        // The chart writes these keys, and the arguments behind the one of the patch.
        string file = _folder.Write("nats.conf", $$"""
            {
              "lame_duck_duration": "30s", "lame_duck_grace_period": "10s", "pid_file": "{{Path.Combine(_folder.Path, "nats.pid")}}",
              "port": -1, "http_port": -1, "server_name": "broker-0", "stop_deadline": {{merged["stop_deadline"].Text}},
              "zeromq": { "publishers": "{{FreePorts(merged["zeromq"]["publishers"].Text)}}", "subscribers": "{{FreePorts(merged["zeromq"]["subscribers"].Text)}}" }
            }
            """);

        RealRun run = await RealRun.Of(serve["value"].Text, "--config", file);

        Assert.True(run.ExitCode == ExitCode.Success, run.Said);
        Assert.Single(run.Addresses!.ZeroMqPublishers);
    }

    [Theory]
    [InlineData("eng/docker/compose.yml", "services/broker/stop_grace_period")]
    [InlineData("eng/docker/kubernetes.yml", "spec/template/spec/terminationGracePeriodSeconds")]
    public void The_container_is_not_killed_before_the_broker_has_stopped(string example, string path)
    {
        string deadline = DocumentedText.Read("eng/docker/broker.conf").Text.Split("stop_deadline: \"")[1].Split('s')[0];
        Node grace = path.Split('/').Aggregate(Node.ReadAll(example)[0], static (node, key) => node[key]);

        Assert.True(Number(grace.Text.TrimEnd('s')) > Number(deadline));

        static int Number(string text) => int.Parse(text, System.Globalization.CultureInfo.InvariantCulture);
    }

    // The configuration beside the examples, with other ports, because those may be in use on this machine.
    private string[] WithFreePorts(string[] command)
    {
        string text = DocumentedText.Read("eng/docker/broker.conf").Text;
        string file = _folder.Write("broker.conf", FreePorts(text).Replace("0.0.0.0:4222", "127.0.0.1:-1", StringComparison.Ordinal).Replace("0.0.0.0:8222", "127.0.0.1:-1", StringComparison.Ordinal));
        Assert.Contains(ConfigurationPath, command);
        return [.. command.Select(word => word == ConfigurationPath ? file : word)];
    }

    private static string FreePorts(string text)
        => text.Replace("tcp://0.0.0.0:5556", "tcp://127.0.0.1:*", StringComparison.Ordinal).Replace("tcp://0.0.0.0:5557", "tcp://127.0.0.1:*", StringComparison.Ordinal);

    /// <summary>A value of a YAML file.</summary>
    private sealed record Node(object Value)
    {
        internal string Text => Assert.IsType<string>(Value);

        internal Node[] Items => [.. Assert.IsType<List<object>>(Value).Select(static item => new Node(item))];

        internal string[] Texts => [.. Items.Select(static item => item.Text)];

        internal Node this[string key] => Assert.IsType<Dictionary<object, object>>(Value).TryGetValue(key, out object? value)
            ? new Node(value)
            : throw new KeyNotFoundException(key);

        internal static Node Read(string path) => Assert.Single(ReadAll(path));

        internal static Node[] ReadAll(string path)
        {
            IDeserializer yaml = new DeserializerBuilder().Build();
            return [.. DocumentedText.Read(path).Text.Split("\n---\n").Select(document => new Node(yaml.Deserialize<object>(document)))];
        }
    }
}
