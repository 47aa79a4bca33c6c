using System.CommandLine;
using System.Text;
using System.Text.RegularExpressions;
using Broker.Cli.CommandLine;
using Broker.Cli.Shell;
using Broker.Cli.Terminal;

namespace Broker.Cli.Tests.OddValues;

/// <summary>
/// Gives every flag of every command values that nobody wants. The command line is refused with one line, or the
/// command works: no exception ends it. The flags are read from the commands, so a new flag is tested too.
/// </summary>
public sealed class OddFlagTests : IDisposable
{
    private static readonly string[] Values =
        ["", " ", "0", "-1", "99999999999999999999", "1.5", "[]", "null", "true", "a\nb", "../..", "--"];

    // The arguments with which a command ends soon: without an endpoint, or at a port where no server is.
    private static readonly Dictionary<string, string[]> Arguments = new(StringComparer.Ordinal)
    {
        [""] = [],
        ["serve"] = ["-t", "-p", "-1"],
        ["bridge"] = ["-t", "-s", "nats://127.0.0.1:1"],
        ["pub"] = ["-s", "nats://127.0.0.1:1", "a", "b"],
        ["sub"] = ["-s", "nats://127.0.0.1:1", "a"],
        ["req"] = ["-s", "nats://127.0.0.1:1", "a"],
        ["reply"] = ["-s", "nats://127.0.0.1:1", "a"],
        ["server"] = [],
        ["server ping"] = ["-s", "nats://127.0.0.1:1"],
        ["server info"] = ["-s", "nats://127.0.0.1:1"],
        ["server report"] = [],
        ["server report connections"] = ["-s", "http://127.0.0.1:1"],
        ["server report routes"] = ["-s", "http://127.0.0.1:1"],
        ["server report accounts"] = ["-s", "http://127.0.0.1:1"],
        ["server check"] = [],
        ["server check connection"] = ["-s", "nats://127.0.0.1:1"],
        ["server check pages"] = ["-s", "http://127.0.0.1:1"],
        ["top"] = ["--once", "-s", "http://127.0.0.1:1"],
        ["trace"] = ["-s", "http://127.0.0.1:1", "a"],
        ["config"] = [],
        ["config show"] = [],
        ["bench"] = [],
        ["bench zmq"] = [],
        ["bench zmq push"] = ["--from", "tcp://127.0.0.1:1"],
        ["bench zmq pub"] = ["--from", "tcp://127.0.0.1:1", "-s", "nats://127.0.0.1:1"],
        ["bench zmq req"] = ["--from", "tcp://127.0.0.1:1", "-s", "nats://127.0.0.1:1"],
        ["bench pub"] = ["-s", "nats://127.0.0.1:1"],
        ["bench pubsub"] = ["-s", "nats://127.0.0.1:1"],
        ["bench request"] = ["-s", "nats://127.0.0.1:1"],
        ["zmq"] = [],
        ["zmq pub"] = ["a", "b"],
        ["zmq sub"] = [],
        ["zmq push"] = ["a"],
        ["zmq pull"] = [],
        ["zmq req"] = ["a"],
        ["zmq rep"] = [],
        ["stream"] = [],
        ["stream ls"] = ["-s", "nats://127.0.0.1:1"],
        ["stream info"] = ["-s", "nats://127.0.0.1:1", "a"],
        ["stream add"] = ["-s", "nats://127.0.0.1:1", "a", "--subjects", "a.>"],
        ["stream edit"] = ["-s", "nats://127.0.0.1:1", "a"],
        ["stream rm"] = ["-s", "nats://127.0.0.1:1", "a"],
        ["stream purge"] = ["-s", "nats://127.0.0.1:1", "a"],
        ["stream view"] = ["-s", "nats://127.0.0.1:1", "a"],
        ["stream get"] = ["-s", "nats://127.0.0.1:1", "a", "1"],
        ["stream rmm"] = ["-s", "nats://127.0.0.1:1", "a", "1"],
        ["stream subjects"] = ["-s", "nats://127.0.0.1:1", "a"],
        ["stream copy"] = ["-s", "nats://127.0.0.1:1", "--from", "nats://127.0.0.1:1", "a"],
        ["stream verify"] = ["--sd", "no-such-folder"],
        ["stream repair"] = ["--sd", "no-such-folder"],
        ["stream backup"] = ["--sd", "no-such-folder", "no-such-folder/copy"],
        ["stream restore"] = ["--sd", "no-such-folder", "no-such-folder/copy"],
        ["consumer"] = [],
        ["consumer ls"] = ["-s", "nats://127.0.0.1:1", "a"],
        ["consumer info"] = ["-s", "nats://127.0.0.1:1", "a", "b"],
        ["consumer add"] = ["-s", "nats://127.0.0.1:1", "a", "b"],
        ["consumer edit"] = ["-s", "nats://127.0.0.1:1", "a", "b"],
        ["consumer rm"] = ["-s", "nats://127.0.0.1:1", "a", "b"],
        ["consumer pause"] = ["-s", "nats://127.0.0.1:1", "a", "b", "1h"],
        ["consumer resume"] = ["-s", "nats://127.0.0.1:1", "a", "b"],
        ["consumer next"] = ["-s", "nats://127.0.0.1:1", "a", "b"],
        ["kv"] = [],
        ["kv ls"] = ["-s", "nats://127.0.0.1:1"],
        ["kv info"] = ["-s", "nats://127.0.0.1:1", "a"],
        ["kv add"] = ["-s", "nats://127.0.0.1:1", "a"],
        ["kv rm"] = ["-s", "nats://127.0.0.1:1", "a"],
        ["kv get"] = ["-s", "nats://127.0.0.1:1", "a", "b"],
        ["kv put"] = ["-s", "nats://127.0.0.1:1", "a", "b", "c"],
        ["kv create"] = ["-s", "nats://127.0.0.1:1", "a", "b", "c"],
        ["kv update"] = ["-s", "nats://127.0.0.1:1", "a", "b", "c"],
        ["kv del"] = ["-s", "nats://127.0.0.1:1", "a", "b"],
        ["kv purge"] = ["-s", "nats://127.0.0.1:1", "a", "b"],
        ["kv history"] = ["-s", "nats://127.0.0.1:1", "a", "b"],
        ["kv watch"] = ["-s", "nats://127.0.0.1:1", "a"],
        ["object"] = [],
        ["object ls"] = ["-s", "nats://127.0.0.1:1"],
        ["object info"] = ["-s", "nats://127.0.0.1:1", "a"],
        ["object add"] = ["-s", "nats://127.0.0.1:1", "a"],
        ["object rm"] = ["-s", "nats://127.0.0.1:1", "a"],
        ["object put"] = ["-s", "nats://127.0.0.1:1", "a", "no-such-file"],
        ["object get"] = ["-s", "nats://127.0.0.1:1", "a", "b"],
        ["object del"] = ["-s", "nats://127.0.0.1:1", "a", "b"],
        ["auth"] = [],
        ["auth add"] = [],
        ["auth add activation"] = ["--store", "no-such-folder", "a", "--to", "b"],
        ["auth add export"] = ["--store", "no-such-folder", "a"],
        ["auth add import"] = ["--store", "no-such-folder", "a", "--from", "b"],
        ["auth add account"] = ["--store", "no-such-folder", "a"],
        ["auth add key"] = ["--store", "no-such-folder"],
        ["auth add user"] = ["--store", "no-such-folder", "a"],
        ["auth edit"] = [],
        ["auth edit export"] = ["--store", "no-such-folder", "a"],
        ["auth edit import"] = ["--store", "no-such-folder", "a"],
        ["auth edit account"] = ["--store", "no-such-folder", "a"],
        ["auth edit key"] = ["--store", "no-such-folder", "a"],
        ["auth edit operator"] = ["--store", "no-such-folder"],
        ["auth edit user"] = ["--store", "no-such-folder", "a"],
        ["auth init"] = ["--seed-file", "no-such-file", "a"],
        ["auth push"] = ["--store", "no-such-folder"],
        ["auth remove"] = [],
        ["auth remove export"] = ["--store", "no-such-folder", "a"],
        ["auth remove import"] = ["--store", "no-such-folder", "a"],
        ["auth revoke"] = [],
        ["auth revoke activation"] = ["--store", "no-such-folder", "a", "--to", "b"],
        ["auth revoke key"] = ["--store", "no-such-folder", "a"],
        ["auth revoke user"] = ["--store", "no-such-folder", "a"],
        ["auth show"] = ["--store", "no-such-folder"],
        ["auth show account"] = ["--store", "no-such-folder", "a"],
        ["auth show config"] = ["--store", "no-such-folder"],
        ["auth show file"] = ["no-such-file"],
        ["auth show operator"] = ["--store", "no-such-folder"],
        ["auth show user"] = ["--store", "no-such-folder", "a"],
        ["keys"] = [],
        ["keys curve"] = [],
        ["keys nkey"] = [],
        ["passwd"] = [],
        ["completion"] = ["bash"],
    };

    private readonly TemporaryFolder _folder = new();

    public static TheoryData<string, string> Flags => [.. Walk(Create(new StringWriter()).Build(), "")];

    public void Dispose() => _folder.Dispose();

    [Theory]
    [MemberData(nameof(Flags))]
    public async Task A_value_that_nobody_wants_is_refused_in_one_line_or_works(string command, string flag)
    {
        Assert.True(Arguments.TryGetValue(command, out string[]? arguments), $"add the arguments of \"broker {command}\" to this test");
        foreach (string value in Values)
        {
            string dashed = flag.TrimStart('-');
            foreach (string[] given in (string[][])[[flag, value], [$"-{dashed}={value}"]])
            {
                await CheckAsync([.. command.Split(' ', StringSplitOptions.RemoveEmptyEntries), .. arguments, .. given]);
            }

            // The keys that were written.
            if (flag is "--out" or "-o" && File.Exists(value))
            {
                File.Delete(value);
            }
        }
    }

    [Theory]
    [InlineData("pub")]
    [InlineData("sub")]
    [InlineData("req")]
    [InlineData("reply")]
    [InlineData("zmq pub")]
    [InlineData("zmq sub")]
    [InlineData("zmq push")]
    [InlineData("zmq req")]
    [InlineData("trace")]
    [InlineData("completion")]
    [InlineData("serve")]
    [InlineData("")]
    public async Task An_argument_that_nobody_wants_is_refused_in_one_line_or_works(string command)
    {
        string[] first = [.. Arguments[command].TakeWhile(static word => word is not ("a" or "bash"))];
        foreach (string value in Values)
        {
            string[] path = command.Split(' ', StringSplitOptions.RemoveEmptyEntries);
            await CheckAsync([.. path, .. first, value]);
            await CheckAsync([.. path, .. first, "--", value]);
            await CheckAsync([.. path, .. first, "a", value]);
        }
    }

    private async Task CheckAsync(string[] args)
    {
        using var error = new StringWriter();
        using var output = new MemoryStream();
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        stop.CancelAfter(TimeSpan.FromSeconds(1));
        string shown = string.Join(' ', args.Select(static a => $"[{a}]"));
        int exitCode;
        try
        {
            exitCode = await Create(error, output).RunAsync(args, stop.Token);
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            Assert.Fail($"{shown}\n{e}");
            return;
        }

        // A check prints its result, also a failure, on standard output.
        string text = error + (args is ["server", "check", ..] ? Encoding.UTF8.GetString(output.ToArray()) : "");
        Assert.True(exitCode is ExitCode.Success or ExitCode.Failure or ExitCode.Usage or ExitCode.NothingCame or ExitCode.Undelivered or ExitCode.Interrupted, shown);
        string[] lines = text.Split('\n', StringSplitOptions.RemoveEmptyEntries);
        Assert.True(exitCode != ExitCode.Usage || lines.Length == 1, $"{shown}\n{text}");
        Assert.True(exitCode is ExitCode.Success or ExitCode.Interrupted || lines.Any(static line => Regex.IsMatch(line, "^(broker|(connection|pages) [A-Z]+): .")), $"{shown}\n{text}");
        Assert.DoesNotContain("   at ", text, StringComparison.Ordinal);
        Assert.DoesNotContain("(Parameter", text, StringComparison.Ordinal);
    }

    private static BrokerCommand Create(TextWriter error, Stream? output = null) => new(
        TextWriter.Null,
        error,
        new Screen(TextWriter.Null, error, isTerminal: false, static () => 80),
        new ShellStreams(Stream.Null, output ?? Stream.Null, error, isInputRedirected: true, colours: false) { Variable = static _ => null },
        static () => new FakeHost { OnStart = static _ => throw new InvalidOperationException("the command must not serve") })
    {
        CreateBridge = static _ => new FakeHost(),
    };

    // The commands of Windows services are refused on other systems before they read a flag.
    private static IEnumerable<TheoryDataRow<string, string>> Walk(Command command, string path)
    {
        foreach (string name in command.Options.SelectMany(static option => option.Aliases.Prepend(option.Name)).Where(static name => name != "/?" && name != "/h"))
        {
            yield return new(path, name);
        }

        foreach (Command inner in command.Subcommands.Where(static inner => inner.Name != "service"))
        {
            foreach (TheoryDataRow<string, string> row in Walk(inner, $"{path} {inner.Name}".TrimStart()))
            {
                yield return row;
            }
        }
    }
}
