using System.Text.Json;
using System.Text.RegularExpressions;
using System.Xml.Linq;
using Broker.Cli.Tests.Starting;

namespace Broker.Cli.Tests.Documentation;

/// <summary>
/// Tests that the shipped systemd units and the container file start valid command lines of this program.
/// </summary>
public sealed partial class ShippedFileTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task The_unit_of_systemd_starts_what_it_says()
    {
        string unit = DocumentedText.Read("eng/systemd/broker.service").Text;
        Assert.Matches("(?m)^Type=notify$", unit);
        Assert.Matches("(?m)^ExecReload=/bin/kill -HUP \\$MAINPID$", unit);
        string[] words = Exec().Match(unit).Groups[1].Value.Split(' ');
        Assert.Equal("/usr/bin/broker", words[0]);
        string file = _folder.Write("broker.conf", "port: -1\n");
        string[] args = [.. words[1..].Select(w => w == "/etc/broker/broker.conf" ? file : w)];
        Assert.Contains(file, args);

        RealRun run = await RealRun.Of(args);

        Assert.True(run.ExitCode == ExitCode.Success && run.Addresses is not null, run.Said);
    }

    [Fact]
    public async Task Systemd_finds_that_the_unit_exposes_little_of_the_system()
    {
        string unit = Path.Combine(Repository.Root, "eng", "systemd", "broker.service");

        // The threshold of 20 is an exposure of 2.0, of 10 at most.
        (int exitCode, string text) = await Programs.RunAsync(Programs.Require("systemd-analyze"), null, "security", "--offline=true", "--no-pager", "--threshold=20", unit);

        Assert.True(exitCode == 0, text);
    }

    [Fact]
    public async Task The_unit_of_systemd_does_not_restart_a_broker_with_a_wrong_configuration()
    {
        string unit = DocumentedText.Read("eng/systemd/broker.service").Text;
        string file = _folder.Write("broker.conf", "no_such_key: 1\n");

        RealRun run = await RealRun.Of("serve", "-c", file);

        string[] codes = NoRestart().Match(unit).Groups[1].Value.Split(' ');
        Assert.Contains(run.ExitCode.ToString(System.Globalization.CultureInfo.InvariantCulture), codes);
        Assert.DoesNotContain("0", codes);
    }

    [Fact]
    public void The_unit_of_systemd_runs_as_the_user_that_is_shipped_with_it()
    {
        string unit = DocumentedText.Read("eng/systemd/broker.service").Text;
        string users = DocumentedText.Read("eng/systemd/broker.sysusers").Text;
        Assert.Contains("\nUser=broker\nGroup=broker\n", unit, StringComparison.Ordinal);
        Assert.Contains("\nu broker - ", users, StringComparison.Ordinal);
        Assert.Contains("broker.sysusers", DocumentedText.Read("eng/pack.sh").Text, StringComparison.Ordinal);
    }

    [Fact]
    public void The_socket_unit_opens_the_usual_port_for_the_unit_of_its_name()
    {
        string unit = DocumentedText.Read("eng/systemd/broker.socket").Text;
        // The broker inherits a stream socket on which it accepts connections itself.
        Assert.Equal(["ListenStream=127.0.0.1:4222"], Listens().Matches(unit).Select(m => m.Value));
        Assert.DoesNotContain("Accept=", unit, StringComparison.Ordinal);
        Assert.DoesNotContain("Service=", unit, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_container_starts_what_it_says_with_the_program_that_is_packed()
    {
        string file = DocumentedText.Read("eng/docker/Dockerfile").Text;
        string packed = DocumentedText.Read("eng/pack.sh").Text;
        Assert.Contains("COPY artifacts/linux-x64/broker /usr/bin/broker", file, StringComparison.Ordinal);
        Assert.Contains("for system in linux-x64 win-x64", packed, StringComparison.Ordinal);
        Assert.Contains("-o \"artifacts/$system\"", packed, StringComparison.Ordinal);
        string[] args = JsonSerializer.Deserialize<string[]>(Command().Match(file).Groups[1].Value)!;
        // The ports are replaced, because they may be in use on this machine.
        args = [.. args.Select(a => a.StartsWith("bind ", StringComparison.Ordinal) ? "bind tcp://127.0.0.1:*" : a == "8222" ? "-1" : a), "-p", "-1"];

        RealRun run = await RealRun.Of(args);

        Assert.True(run.ExitCode == ExitCode.Success, run.Said);
        Assert.Equal((1, 1, 1), (run.Addresses!.Monitoring.Count, run.Addresses.ZeroMqPublishers.Count, run.Addresses.ZeroMqSubscribers.Count));
    }

    [Fact]
    public void A_container_is_built_of_what_its_file_takes_and_of_nothing_else_of_the_folder()
    {
        string file = DocumentedText.Read("eng/docker/Dockerfile").Text;
        string[] rules = [.. DocumentedText.Read(".dockerignore").Text.Split('\n').Where(static l => l.Length > 0 && l[0] != '#')];

        string[] taken = [.. Copied().Matches(file).Select(static m => "!" + m.Groups[1].Value)];
        Assert.Equal(["*", .. taken], rules.AsEnumerable());
    }

    [Fact]
    public void PublishContainer_starts_what_the_container_file_does_at_the_same_ports()
    {
        string file = DocumentedText.Read("eng/docker/Dockerfile").Text;
        var project = XDocument.Parse(DocumentedText.Read("src/Broker.Cli/Broker.Cli.csproj").Text);

        Assert.Equal(JsonSerializer.Deserialize<string[]>(Command().Match(file).Groups[1].Value)!, Items(project, "ContainerDefaultArgs"));
        Assert.Equal(Ports().Match(file).Groups[1].Value.Split(' '), Items(project, "ContainerPort"));
    }

    private static string[] Items(XDocument project, string name) => Assert.Single(project.Descendants(name)).Attribute("Include")!.Value.Split(';');

    [GeneratedRegex("(?m)^RestartPreventExitStatus=(.*)$")]
    private static partial Regex NoRestart();

    [GeneratedRegex("^COPY (\\S+) ", RegexOptions.CultureInvariant | RegexOptions.Multiline, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex Copied();

    [GeneratedRegex("(?m)^EXPOSE (.*)$", RegexOptions.CultureInvariant, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex Ports();

    [GeneratedRegex("(?m)^ExecStart=(.*)$", RegexOptions.CultureInvariant, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex Exec();

    [GeneratedRegex("(?m)^Listen.*$", RegexOptions.CultureInvariant, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex Listens();

    [GeneratedRegex("(?m)^CMD (.*)$", RegexOptions.CultureInvariant, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex Command();
}
