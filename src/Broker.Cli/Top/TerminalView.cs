using Spectre.Console;

namespace Broker.Cli.Top;

/// <summary>Shows the latest frame on the whole terminal, and reads keys.</summary>
internal sealed class TerminalView : ITopView
{
    private const string OtherScreen = "\e[?1049h\e[H";
    private const string FormerScreen = "\e[?1049l";

    private static readonly TimeSpan KeyPace = TimeSpan.FromMilliseconds(50);

    private readonly IAnsiConsole _console = AnsiConsole.Console;
    private LiveDisplayContext? _live;

    public async Task<int> ShowAsync(Func<Task<int>> work)
    {
        if (_console.Profile.Capabilities is not { Ansi: true, AlternateBuffer: true })
        {
            return await DrawAsync(work);
        }

        _console.Write(new ControlCode(OtherScreen));
        try
        {
            return await DrawAsync(work);
        }
        finally
        {
            // The terminal has its former content again.
            _console.Write(new ControlCode(FormerScreen));
        }
    }

    public void Show(TopFrame frame, TopSettings settings, string? problem)
    {
        _live?.UpdateTarget(TopTable.Of(frame, settings, _console.Profile.Width, _console.Profile.Height, problem));
        _live?.Refresh();
    }

    public async Task<char?> WaitAsync(TimeSpan time, CancellationToken stop)
    {
        for (TimeSpan left = time; left > TimeSpan.Zero; left -= KeyPace)
        {
            if (!Console.IsInputRedirected && Console.KeyAvailable)
            {
                return Console.ReadKey(intercept: true).KeyChar;
            }

            await Task.Delay(left < KeyPace ? left : KeyPace, stop);
        }

        return null;
    }

    private async Task<int> DrawAsync(Func<Task<int>> work)
        => await _console.Live(Text.Empty).AutoClear(true).Overflow(VerticalOverflow.Crop).Cropping(VerticalOverflowCropping.Bottom)
            .StartAsync(live =>
            {
                _live = live;
                return work();
            });
}
