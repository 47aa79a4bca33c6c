using System.ComponentModel;
using System.Diagnostics;
using Broker.Cli.Terminal;

namespace Broker.Cli.Shell;

/// <summary>
/// The streams of commands that send or show messages: standard input and output as bytes, and standard error for
/// errors and notes.
/// </summary>
/// <param name="input">Standard input.</param>
/// <param name="output">Standard output. Written through <see cref="LineOutput"/>.</param>
/// <param name="error">Standard error.</param>
/// <param name="isInputRedirected">Whether standard input is a file or a pipe, not a terminal.</param>
/// <param name="colours">Whether standard output is a terminal on which colours are wanted.</param>
/// <param name="isErrorTerminal">Whether standard error is a terminal, so that progress can be shown.</param>
/// <param name="clock">The clock of the progress line.</param>
internal sealed class ShellStreams(
    Stream input, Stream output, TextWriter error, bool isInputRedirected, bool colours, bool isErrorTerminal = false, TimeProvider? clock = null)
{
    private static readonly TimeSpan Pace = TimeSpan.FromSeconds(1);

    private readonly Screen _told = new(error, error, isErrorTerminal, static () => Console.IsOutputRedirected ? 0 : Console.WindowWidth);

    /// <summary>Returns the value of an environment variable, or null.</summary>
    public Func<string, string?> Variable { get; init; } = Environment.GetEnvironmentVariable;

    /// <summary>Returns how long the command already runs: of a process, with the start of the runtime.</summary>
    public Func<TimeSpan> Age { get; init; } = static () => TimeSpan.Zero;

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
        !Console.IsErrorRedirected)
    {
        Age = AgeOfProcess,
    };

    /// <summary>Writes a line to standard error. Can be called on any thread.</summary>
    public void Say(string text) => _told.WriteErrorLine(text);

    /// <summary>
    /// Shows a progress line below the other lines on the terminal and updates it each second. Disposing the result
    /// removes the line. If standard error is not a terminal, nothing is shown.
    /// </summary>
    /// <param name="line">Returns the text of the line. Called on a thread of the pool.</param>
    public IAsyncDisposable ShowProgress(Func<string> line)
        => new ProgressLine(_told, isErrorTerminal ? clock ?? TimeProvider.System : null, Pace, line);

    /// <summary>
    /// Writes an error to standard error as one line. The text may come from a peer, so control characters are escaped.
    /// Can be called on any thread.
    /// </summary>
    public void Complain(string text) => Say("broker: " + SafeText.OneLine(text));

    private static TimeSpan AgeOfProcess()
    {
        try
        {
            using var process = Process.GetCurrentProcess();
            TimeSpan age = DateTime.UtcNow - process.StartTime.ToUniversalTime();
            return age > TimeSpan.Zero ? age : TimeSpan.Zero;
        }
        catch (Exception e) when (e is Win32Exception or InvalidOperationException or NotSupportedException or IOException)
        {
            // The system does not show when the process has started, such as Linux without /proc.
            return TimeSpan.Zero;
        }
    }
}
