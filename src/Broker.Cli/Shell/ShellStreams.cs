namespace Broker.Cli.Shell;

/// <summary>Standard input and output as bytes, for commands that carry messages, and standard error for what is said about them.</summary>
/// <param name="input">Standard input.</param>
/// <param name="output">Standard output. Written through <see cref="LineOutput"/>.</param>
/// <param name="error">Standard error.</param>
/// <param name="isInputRedirected">Whether there is something to read that nobody types.</param>
/// <param name="colours">Whether somebody looks at the output who sees colours.</param>
internal sealed class ShellStreams(Stream input, Stream output, TextWriter error, bool isInputRedirected, bool colours)
{
    public Stream Input => input;

    public Stream Output => output;

    public bool IsInputRedirected => isInputRedirected;

    public bool Colours => colours;

    public static ShellStreams OfProcess() => new(
        Console.OpenStandardInput(),
        Console.OpenStandardOutput(),
        Console.Error,
        Console.IsInputRedirected,
        !Console.IsOutputRedirected && string.IsNullOrEmpty(Environment.GetEnvironmentVariable("NO_COLOR")));

    /// <summary>Says something on standard error. Any thread.</summary>
    public void Say(string text)
    {
        lock (error)
        {
            error.WriteLine(text);
        }
    }

    /// <summary>The same for what went wrong.</summary>
    public void Complain(string text) => Say("broker: " + text);
}
