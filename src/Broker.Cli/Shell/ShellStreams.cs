using Broker.Cli.Terminal;

namespace Broker.Cli.Shell;

/// <summary>Standard input and output as bytes, for commands that carry messages, and standard error for what is said about them.</summary>
/// <param name="input">Standard input.</param>
/// <param name="output">Standard output. Written through <see cref="LineOutput"/>.</param>
/// <param name="error">Standard error.</param>
/// <param name="isInputRedirected">Whether there is something to read that nobody types.</param>
/// <param name="colours">Whether somebody looks at the output who sees colours.</param>
/// <param name="isErrorTerminal">Whether somebody looks at standard error while a command runs.</param>
/// <param name="clock">How often he is shown something.</param>
internal sealed class ShellStreams(
    Stream input, Stream output, TextWriter error, bool isInputRedirected, bool colours, bool isErrorTerminal = false, TimeProvider? clock = null)
{
    private static readonly TimeSpan Pace = TimeSpan.FromSeconds(1);

    private readonly Screen _told = new(error, error, isErrorTerminal, static () => Console.IsOutputRedirected ? 0 : Console.WindowWidth);

    public Stream Input => input;

    public Stream Output => output;

    public bool IsInputRedirected => isInputRedirected;

    public bool Colours => colours;

    public static ShellStreams OfProcess() => new(
        Console.OpenStandardInput(),
        Console.OpenStandardOutput(),
        Console.Error,
        Console.IsInputRedirected,
        !Console.IsOutputRedirected && string.IsNullOrEmpty(Environment.GetEnvironmentVariable("NO_COLOR")),
        !Console.IsErrorRedirected);

    /// <summary>Says something on standard error. Any thread.</summary>
    public void Say(string text) => _told.WriteErrorLine(text);

    /// <summary>
    /// On a terminal shows the line each second, below what is said meanwhile, until what is answered is disposed, which takes it away;
    /// elsewhere nothing.
    /// </summary>
    /// <param name="line">Asked for on a thread of the pool.</param>
    public IAsyncDisposable ShowProgress(Func<string> line) => new ProgressLine(_told, isErrorTerminal ? clock ?? TimeProvider.System : null, Pace, line);

    /// <summary>The same for what went wrong.</summary>
    public void Complain(string text) => Say("broker: " + text);
}
