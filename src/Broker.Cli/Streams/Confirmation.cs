using System.CommandLine;
using System.Text;
using Broker.Cli.Shell;

namespace Broker.Cli.Streams;

/// <summary>The question before something is deleted, and the flag, usually <c>--force</c>, which answers it.</summary>
internal sealed class Confirmation(ShellStreams shell, string name = "--force", string alias = "-f")
{
    private readonly Option<bool> _force = new(name, alias) { Description = "Do not ask for confirmation" };

    public void AddTo(Command command) => command.Options.Add(_force);

    /// <summary>Asks the user at the terminal. Returns false, and says so, if the answer is not yes.</summary>
    /// <exception cref="UsageException">There is no terminal, and the flag is not given.</exception>
    public async Task<bool> IsGivenAsync(ParseResult flags, string question, CancellationToken stop)
    {
        if (flags.GetValue(_force))
        {
            return true;
        }

        if (shell.IsInputRedirected)
        {
            throw new UsageException($"standard input is not a terminal, so nobody can confirm; {name} does not ask");
        }

        shell.Say($"{question} (y/N)");
        // A read of a terminal cannot be cancelled.
        string answer = await Task.Run(() => FirstLineAsync(stop), stop).WaitAsync(stop);
        if (answer is "y" or "Y" or "yes")
        {
            return true;
        }

        shell.Complain("not confirmed, so nothing was changed");
        return false;
    }

    private async Task<string> FirstLineAsync(CancellationToken stop)
    {
        await foreach (ReadOnlyMemory<byte> line in StandardInput.ReadLinesAsync(shell.Input, stop))
        {
            return Encoding.UTF8.GetString(line.Span).Trim();
        }

        return "";
    }
}
