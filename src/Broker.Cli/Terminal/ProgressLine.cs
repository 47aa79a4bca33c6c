namespace Broker.Cli.Terminal;

/// <summary>A status line for as long as something takes; taken away with this.</summary>
internal sealed class ProgressLine : IAsyncDisposable
{
    private readonly Screen _screen;
    private readonly ITimer? _timer;

    /// <param name="screen">Where.</param>
    /// <param name="clock">Null shows nothing.</param>
    /// <param name="pace">How often it is asked for.</param>
    /// <param name="line">How far it is.</param>
    public ProgressLine(Screen screen, TimeProvider? clock, TimeSpan pace, Func<string> line)
    {
        _screen = screen;
        _timer = clock?.CreateTimer(_ => screen.ShowStatus(line()), null, pace, pace);
    }

    public async ValueTask DisposeAsync()
    {
        if (_timer is not null)
        {
            // With what it shows just now.
            await _timer.DisposeAsync();
            _screen.ShowStatus("");
        }
    }
}
