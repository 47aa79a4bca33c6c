using System.Text.RegularExpressions;
using Broker.Cli.Tests.CommandLine;
using Broker.Cli.Tests.Messaging;
using Broker.Cli.Tests.Shell;
using Broker.Client;
using Broker.Server;
using Broker.ZeroMq;

namespace Broker.Cli.Tests.Documentation;

/// <summary>
/// Runs every example of a messaging command in help texts and pages, with a program at the other end. The addresses
/// are replaced, and commands that would run without end are limited to one message.
/// </summary>
public sealed partial class ShellExampleTests : IDisposable
{
    internal static readonly string[][] CommandPaths =
    [
        ["pub"], ["sub"], ["req"], ["reply"], ["zmq"], ["zmq", "pub"], ["zmq", "sub"], ["zmq", "push"], ["zmq", "pull"], ["zmq", "req"], ["zmq", "rep"],
    ];

    private static readonly string[] Pages = ["README.md", "docs/command.md", "docs/configuration.md", "docs/zeromq-mapping.md", "src/Broker.Cli/README.md"];

    private readonly TemporaryFolder _folder = new();

    public static TheoryData<string> Lines =>
    [
        .. CommandPaths.Prepend([]).Select(Help).SelectMany(h => h.Split('\n'))
            .Concat(Pages.Select(DocumentedText.Read).SelectMany(p => p.Commands("broker")))
            .Select(l => l.Trim()).Where(IsOfMessages).Distinct(StringComparer.Ordinal),
    ];

    public void Dispose() => _folder.Dispose();

    /// <summary>Whether the line is a messaging command, and not a usage line of a help text.</summary>
    internal static bool IsOfMessages(string line)
        => CommandPaths.Any(path => line.StartsWith($"broker {string.Join(' ', path)} ", StringComparison.Ordinal))
        && !line.Contains('[', StringComparison.Ordinal) && !line.Contains("...", StringComparison.Ordinal) && !line.Contains("--help", StringComparison.Ordinal);

    [Fact]
    public void Each_command_has_examples()
        => Assert.All(CommandPaths, path => Assert.Contains(Lines, row => row.Data.StartsWith($"broker {string.Join(' ', path)} ", StringComparison.Ordinal)));

    [Theory]
    [MemberData(nameof(Lines))]
    public async Task A_line_as_it_is_printed_does_what_it_says(string line)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "the other end is at a Unix socket");
        string[] args = Words(line);
        if (args[0] == "zmq")
        {
            await RunSocketAsync(args);
        }
        else
        {
            await RunClientAsync(args, line.Contains('<', StringComparison.Ordinal));
        }
    }

    private static async Task RunClientAsync(string[] args, bool hasInput)
    {
        await using BrokerServer server = await MessageCommandTests.StartAsync();
        await using BrokerConnection other = await MessageCommandTests.ConnectAsync(server);
        string subject = Subject(args);
        if (args[0] == "req")
        {
            // Each request asks for a limited number of replies, and a responder sends them.
            other.Subscribe(subject, static (in m) =>
            {
                for (int i = 0; i < 3; i++)
                {
                    m.Respond("answer"u8);
                }
            });
            await other.FlushAsync(TestContext.Current.CancellationToken);
        }

        args = args[0] switch
        {
            "sub" or "reply" => Once(args),
            "req" => WithTime(args),
            _ => args,
        };
        args = [args[0], "-s", MessageCommandTests.Url(server), .. args[1..]];
        await using ShellRun run = hasInput ? ShellRun.StartWith("one\ntwo\n"u8.ToArray(), args) : ShellRun.Start(args);
        if (args[0] is "sub" or "reply")
        {
            await run.SubscribedAsync();
            other.Publish(subject.Replace("*", "x", StringComparison.Ordinal).Replace(">", "x", StringComparison.Ordinal), "hello"u8, replyTo: "back");
        }

        Assert.True(await run.EndAsync() == ExitCode.Success, $"{string.Join(' ', args)}\n{run.Error}");
        Assert.NotEmpty(run.Output);
    }

    private async Task RunSocketAsync(string[] args)
    {
        string endpoint = $"ipc://{Path.Combine(_folder.Path, "s")}";
        args = [.. args.Select(a => a.Contains("://", StringComparison.Ordinal) ? endpoint : a)];
        bool binds = args.Contains("--bind", StringComparer.Ordinal);
        string topic = args[1] == "sub" ? "weather.oslo" : "";
        args = args[1] switch
        {
            "sub" or "pull" or "rep" => Once(args),
            _ => WithTime(args),
        };
        await using MessageSocket other = args[1] switch
        {
            "pub" => new SubscriberSocket(),
            "sub" => new PublisherSocket(),
            "push" => new PullSocket(),
            "pull" => new PushSocket(),
            "req" => new ResponseSocket(),
            _ => new RequestSocket(),
        };
        if (!binds)
        {
            other.Bind(endpoint);
        }

        await using var run = ShellRun.Start(args);
        if (binds)
        {
            await run.BoundAsync();
            other.Connect(endpoint);
        }

        await MeetAsync(other, topic, run);
        Assert.True(await run.EndAsync() == ExitCode.Success, $"{string.Join(' ', args)}\n{run.Error}");
    }

    private static async Task MeetAsync(MessageSocket other, string topic, ShellRun run)
    {
        CancellationToken cancellation = TestContext.Current.CancellationToken;
        switch (other)
        {
            case SubscriberSocket subscriber:
                subscriber.Subscribe("");
                Assert.NotEmpty(await Wait.For(subscriber.ReceiveFramesAsync(cancellation).AsTask()));
                break;
            case PublisherSocket publisher:
                // A publisher receives no notice that a subscriber is there.
                await Wait.UntilAsync(() => run.HasEnded, () => run.Error, () => publisher.Send(topic, "4 degrees"));
                break;
            case PullSocket pull:
                Assert.NotEmpty(await Wait.For(pull.ReceiveFramesAsync(cancellation).AsTask()));
                break;
            case PushSocket push:
                // The command ends after the first message, and nobody receives another one.
                await Wait.For(push.SendAsync("work", cancellation).AsTask());
                break;
            case ResponseSocket response:
                await Wait.For(response.ReceiveFramesAsync(cancellation).AsTask());
                await Wait.For(response.SendAsync("answer", cancellation).AsTask());
                break;
            case RequestSocket request:
                await Wait.For(request.SendAsync("question", cancellation).AsTask());
                Assert.NotEmpty(await Wait.For(request.ReceiveFramesAsync(cancellation).AsTask()));
                break;
        }
    }

    // If a flag is given twice, the last value is used. The test appends flags that shorten waits and counts.
    private static string[] Once(string[] args) => [.. Without(Without(args, "--count", 2), "--timeout", 2), "--count", "1"];

    private static string[] WithTime(string[] args) => [.. Without(args, "--timeout", 2), "--timeout", "2m"];

    private static string[] Without(string[] args, string flag, int words)
    {
        int at = Array.IndexOf(args, flag);
        return at < 0 ? args : [.. args[..at], .. args[(at + words)..]];
    }

    // Returns the first word that is neither a flag nor a flag's value.
    private static string Subject(string[] args)
    {
        string[] switches = ["--json", "--raw", "--hex", "--lines"];
        for (int i = 1; i < args.Length; i++)
        {
            if (!args[i].StartsWith('-'))
            {
                return args[i];
            }

            i += switches.Contains(args[i], StringComparer.Ordinal) ? 0 : 1;
        }

        throw new InvalidOperationException("no subject");
    }

    // Splits the line like a shell. The parts after a pipe, a comment sign or a redirection are ignored.
    private static string[] Words(string line)
    {
        line = line.Split(" | ")[0].Split(" #")[0].Split(" <")[0].TrimEnd('&', ' ');
        return [.. Word().Matches(line).Skip(1).Select(m => Unquote(m.Value))];
    }

    private static string Unquote(string word) => word is ['"', .. var inner, '"'] ? inner : word is ['\'', .. var single, '\''] ? single : word;

    private static string Help(string[] path)
    {
        // Parsing and help never wait.
        return CommandRun.Of([.. path, "--help"]).GetAwaiter().GetResult().Output;
    }

    [GeneratedRegex("\"[^\"]*\"|'[^']*'|\\S+", RegexOptions.CultureInvariant, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex Word();
}
