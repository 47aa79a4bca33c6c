using System.Globalization;
using Broker.Cli.Shell;
using Spectre.Console;

namespace Broker.Cli.Top;

/// <summary>Prints each frame as text or as JSON, without control sequences.</summary>
internal sealed class PrintedView(ShellStreams shell) : ITopView
{
    // A file has no width. No column is cut at this one.
    private const int Width = 200;

    private readonly LineOutput _lines = new(shell);

    public Task<int> ShowAsync(Func<Task<int>> work) => work();

    public void Show(TopFrame frame, TopSettings settings, string? problem)
    {
        if (problem is not null)
        {
            shell.Complain(problem);
        }
        else if (settings.IsJson)
        {
            new TopJson(_lines).Write(frame, settings);
        }
        else
        {
            Print(frame, settings);
        }
    }

    public async Task<char?> WaitAsync(TimeSpan time, CancellationToken stop)
    {
        await Task.Delay(time, stop);
        return null;
    }

    private void Print(TopFrame frame, TopSettings settings)
    {
        using var text = new StringWriter(CultureInfo.InvariantCulture);
        IAnsiConsole console = AnsiConsole.Create(new AnsiConsoleSettings
        {
            Ansi = AnsiSupport.No,
            ColorSystem = ColorSystemSupport.NoColors,
            Interactive = InteractionSupport.No,
            Out = new AnsiConsoleOutput(text),
        });
        console.Profile.Width = Width;
        console.Write(TopTable.Of(frame, settings, Width, null, null));
        foreach (string line in text.ToString().TrimEnd().Split('\n'))
        {
            _lines.Write(line.TrimEnd());
            _lines.EndLine();
        }

        _lines.Flush();
    }
}
