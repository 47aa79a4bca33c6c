using System.Text;
using Broker.Cli.CommandLine;
using Broker.Cli.Shell;
using Broker.Cli.Terminal;

namespace Broker.Cli.Tests.Shell;

/// <summary>Runs a messaging command in this process. The test can read its output while it runs.</summary>
internal sealed class ShellRun : IAsyncDisposable
{
    private readonly CancellationTokenSource _stop = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
    private readonly WatchedStream _output = new();
    private readonly StringWriter _error = new();
    private readonly TextWriter _guardedError;
    private readonly Task<int> _run;

    private ShellRun(
        byte[]? input, bool colours, string[] args, bool isTerminal = false, Dictionary<string, string>? variables = null, string typed = "")
    {
        _guardedError = TextWriter.Synchronized(_error);
        var shell = new ShellStreams(new MemoryStream(input ?? Encoding.UTF8.GetBytes(typed)), _output, _guardedError, isInputRedirected: input is not null, colours, isTerminal, new FastTime())
        {
            Variable = name => variables?.GetValueOrDefault(name),
        };
        var command = new BrokerCommand(
            _guardedError, _guardedError, new Screen(_guardedError, _guardedError, isTerminal: false, static () => 80), shell, () => new FakeHost());
        _run = Task.Run(() => command.RunAsync(args, _stop.Token), TestContext.Current.CancellationToken);
    }

    public string Output => Encoding.UTF8.GetString(Bytes);

    public byte[] Bytes => _output.Written;

    public string Error
    {
        get
        {
            lock (_guardedError)
            {
                return _error.ToString();
            }
        }
    }

    public bool HasEnded => _run.IsCompleted;

    public static ShellRun Start(params string[] args) => new(null, colours: false, args);

    public static ShellRun StartWith(byte[] input, params string[] args) => new(input, colours: false, args);

    public static ShellRun StartInColours(params string[] args) => new(null, colours: true, args);

    /// <summary>Runs the command with a terminal as standard error.</summary>
    public static ShellRun StartAtTerminal(params string[] args) => new(null, colours: false, args, isTerminal: true);

    /// <summary>Runs the command at a terminal at which the user types a text.</summary>
    public static ShellRun StartTyping(string typed, params string[] args) => new(null, colours: false, args, typed: typed);

    /// <summary>Runs the command with environment variables to its end.</summary>
    public static async Task<(int ExitCode, string Output, string Error)> OfAsync(Dictionary<string, string> variables, params string[] args)
    {
        await using var run = new ShellRun(null, colours: false, args, variables: variables);
        return (await run.EndAsync(), run.Output, run.Error);
    }

    /// <summary>Runs the command to its end.</summary>
    public static async Task<(int ExitCode, string Output, string Error)> OfAsync(params string[] args)
    {
        await using ShellRun run = Start(args);
        return (await run.EndAsync(), run.Output, run.Error);
    }

    /// <summary>Waits until the command has subscribed.</summary>
    public Task SubscribedAsync() => SaidAsync("subscribed to ");

    /// <summary>Waits until the command has written the text to standard error.</summary>
    public async Task SaidAsync(string text)
    {
        await Wait.UntilAsync(() => Error.Contains(text, StringComparison.Ordinal) || HasEnded, () => $"waited in vain for \"{text}\" in: {Error}");
        Assert.Contains(text, Error, StringComparison.Ordinal);
    }

    /// <summary>Waits until the command has written the text to standard output.</summary>
    public async Task ShownAsync(string text)
    {
        await Wait.UntilAsync(() => Output.Contains(text, StringComparison.Ordinal) || HasEnded, () => $"waited in vain for \"{text}\" in: {Output}{Error}");
        Assert.Contains(text, Output, StringComparison.Ordinal);
    }

    /// <summary>Returns the endpoint that a binding command has reported.</summary>
    public async Task<string> BoundAsync()
    {
        await SaidAsync("bound to ");
        return Error.Split("bound to ")[1].Split('\n', '\r')[0];
    }

    /// <summary>Waits for the end of the command and returns its exit code.</summary>
    public Task<int> EndAsync() => Wait.For(_run);

    /// <summary>Stops the command like Ctrl+C.</summary>
    public async Task<int> StopAsync()
    {
        await _stop.CancelAsync();
        return await EndAsync();
    }

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        await ((Task)_run).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _stop.Dispose();
        await _output.DisposeAsync();
        await _error.DisposeAsync();
    }

    // A stream that one thread can read while another writes.
    private sealed class WatchedStream : MemoryStream
    {
        private readonly Lock _gate = new();

        public byte[] Written
        {
            get
            {
                lock (_gate)
                {
                    return ToArray();
                }
            }
        }

        public override void Write(ReadOnlySpan<byte> buffer)
        {
            lock (_gate)
            {
                base.Write(buffer);
            }
        }
    }
}
