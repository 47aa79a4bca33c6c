namespace Broker.Cli.Terminal;

/// <summary>Shows a status line until it is disposed.</summary>
internal sealed class ProgressLine : IAsyncDisposable
{
    private readonly Screen _screen;
    private readonly ITimer? _timer;

    /// <param name="screen">Shows the line.</param>
    /// <param name="clock">The clock for the updates, or null to show nothing.</param>
    /// <param name="pace">The time between two updates.</param>
    /// <param name="line">Returns the text of the line.</param>
    public ProgressLine(Screen screen, TimeProvider? clock, TimeSpan pace, Func<string> line)
    {
        _screen = screen;
        _timer = clock?.CreateTimer(_ => screen.ShowStatus(line()), null, pace, pace);
    }

    public async ValueTask DisposeAsync()
    {
        if (_timer is not null)
        {
            // Also waits for an update in progress.
            await _timer.DisposeAsync();
            _screen.ShowStatus("");
        }
    }
}
