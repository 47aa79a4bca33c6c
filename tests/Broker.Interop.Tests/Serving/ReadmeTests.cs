using System.Runtime.InteropServices;
using System.Text.RegularExpressions;
using Broker.Interop.Tests.Harness;

namespace Broker.Interop.Tests.Serving;

/// <summary>Runs the commands of README.md as printed, with other ports.</summary>
public sealed partial class ReadmeTests
{
    [Fact]
    public async Task Its_first_steps_bring_a_message_from_one_program_in_Python_to_another()
    {
        string text = await File.ReadAllTextAsync(Path.Combine(Repository.Root, "README.md"), TestContext.Current.CancellationToken);
        Match run = Assert.Single(DotnetRun().Matches(text));
        Assert.Single(Directory.GetFiles(Path.Combine(Repository.Root, run.Groups["project"].Value), "*.csproj"));
        string[] words = run.Groups["words"].Value.Split(' ', StringSplitOptions.RemoveEmptyEntries);
        Assert.Equal("serve", words[0]);
        await using BrokerProcess broker = await BrokerProcess.StartAsync(
            -1, [.. words[1..], "--zeromq-publishers", "tcp://127.0.0.1:*", "--zeromq-subscribers", "tcp://127.0.0.1:*"]);
        string[] lines = [.. Python().Matches(text).Select(m => m.Groups["code"].Value)];
        Assert.Equal(2, lines.Length);
        string subscribe = At(lines[0], "tcp://127.0.0.1:5557", broker.Subscribers);
        string publish = At(lines[1], "tcp://127.0.0.1:5556", broker.Publishers);

        await using PeerProcess subscriber = await PythonPeers.StartCodeAsync(subscribe);
        // A user types more slowly than the subscriber starts. The test does not, so it publishes until a message
        // arrives.
        await Wait.UntilAsync(
            async () =>
            {
                await using PeerProcess publisher = await PythonPeers.StartCodeAsync(publish);
                Assert.True(await publisher.WaitForExitAsync() == 0, publisher.Errors);
                return subscriber.HasExited;
            },
            "the subscriber's message");

        Assert.True(await subscriber.WaitForExitAsync() == 0, subscriber.Errors);
        Assert.Equal("[b'weather.oslo', b'4 degrees']", await subscriber.ReadLineAsync());
    }

    [Fact]
    public async Task Its_lines_for_terminals_carry_a_message_each_way_with_nothing_but_what_was_built()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "lines of a Unix shell");
        string text = await File.ReadAllTextAsync(Path.Combine(Repository.Root, "README.md"), TestContext.Current.CancellationToken);
        await using BrokerProcess broker = await BrokerProcess.StartWithZeroMqAsync();
        // The output folders of the first command and of the tests differ only in the build configuration.
        string path = Assert.Single(ExportPath().Matches(text)).Value.Trim();
        path = path.Replace("Release", Repository.Configuration, StringComparison.Ordinal);
        string[] lines = [.. BrokerLines().Matches(text).Select(m => m.Value.Trim())];
        Assert.Equal(4, lines.Length);
        lines[1] = At(lines[1], "tcp://127.0.0.1:5557", broker.Subscribers);
        lines[2] = At(lines[2], "tcp://127.0.0.1:5556", broker.Publishers);

        await using PeerProcess sub = Terminal(path, lines[0], broker);
        await Wait.UntilAsync(() => sub.Errors.Contains("subscribed to ", StringComparison.Ordinal) || sub.HasExited, "the subscription");
        await using PeerProcess zeroMqSub = Terminal(path, lines[1], broker);
        // No output says when the bridge has received the subscription, so the test publishes until a message arrives.
        string? heard = null;
        await Wait.UntilAsync(
            async () =>
            {
                // The command's own time-out for the bridge may be too short on a busy machine, so the test tries
                // again.
                await using PeerProcess publisher = Terminal(path, lines[2], broker);
                Assert.True(await publisher.WaitForExitAsync() is 0 or 4, publisher.Errors);
                heard = await zeroMqSub.TryReadLineAsync(TimeSpan.FromSeconds(1));
                return heard is not null;
            },
            "the message at the ZeroMQ subscriber");
        Assert.Equal("weather.oslo | 4 degrees", heard);
        Assert.Matches("^zmq\\.weather\\.oslo \\{.*\\} 4 degrees$", await sub.ReadLineAsync());

        await RunAsync(path, lines[3], broker);

        Assert.Equal("zmq.weather.bergen rain", await sub.ReadLineWithAsync("bergen"));
        Assert.Equal("weather.bergen | rain", await zeroMqSub.ReadLineWithAsync("bergen"));
    }

    private static async Task RunAsync(string path, string line, BrokerProcess broker)
    {
        await using PeerProcess run = Terminal(path, line, broker);
        Assert.True(await run.WaitForExitAsync() == 0, run.Errors);
    }

    // The test's server has another port than the README's. An environment variable tells the commands.
    private static PeerProcess Terminal(string path, string line, BrokerProcess broker)
        => PeerProcess.Start("terminal", "sh", "-c", $"cd '{Repository.Root}'; export DOTNET_ROOT='{DotnetRoot}'; export NATS_URL='{broker.Url}'; {path}; exec {line}");

    // The root of the runtime that runs this test: three folders above its assemblies.
    private static string DotnetRoot => Path.GetFullPath(Path.Combine(RuntimeEnvironment.GetRuntimeDirectory(), "../../.."));

    private static string At(string code, string printed, string address)
    {
        Assert.Contains(printed, code, StringComparison.Ordinal);
        return code.Replace(printed, address, StringComparison.Ordinal);
    }

    [GeneratedRegex(@"^\s*dotnet run -c Release --project (?<project>\S+) -- (?<words>[^#\r\n]+)", RegexOptions.Multiline | RegexOptions.CultureInvariant, 10_000)]
    private static partial Regex DotnetRun();

    [GeneratedRegex(@"^\s*python3 -c '(?<code>[^'\r\n]+)'\s*$", RegexOptions.Multiline | RegexOptions.CultureInvariant, 10_000)]
    private static partial Regex Python();

    [GeneratedRegex(@"^export PATH=.*$", RegexOptions.Multiline | RegexOptions.CultureInvariant, 10_000)]
    private static partial Regex ExportPath();

    [GeneratedRegex(@"^broker (sub|pub|zmq) .*$", RegexOptions.Multiline | RegexOptions.CultureInvariant, 10_000)]
    private static partial Regex BrokerLines();
}
