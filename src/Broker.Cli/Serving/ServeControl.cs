using System.Threading.Channels;

namespace Broker.Cli.Serving;

/// <summary>
/// Passes requests to a running broker, from signals, from the Windows service manager or from a test. Thread-safe.
/// </summary>
internal sealed class ServeControl : IDisposable
{
    private readonly CancellationTokenSource _stop;

    // The channel drops requests when it is full, because repeated requests need not each be executed.
    private readonly Channel<ControlRequest> _requests = Channel.CreateBounded<ControlRequest>(
        new BoundedChannelOptions(8) { FullMode = BoundedChannelFullMode.DropWrite });

    public ServeControl(CancellationToken stop = default) => _stop = CancellationTokenSource.CreateLinkedTokenSource(stop);

    /// <summary>Cancelled when a stop is requested.</summary>
    public CancellationToken Stop => _stop.Token;

    /// <summary>The requests, in order.</summary>
    public ChannelReader<ControlRequest> Requests => _requests.Reader;

    public void Request(ControlRequest request) => _requests.Writer.TryWrite(request);

    /// <summary>Requests a stop. Returns false if a stop was requested before.</summary>
    public bool RequestStop()
    {
        if (_stop.IsCancellationRequested)
        {
            return false;
        }

        // Cancels on another thread, because the cancellation callbacks run the whole stop.
        _ = _stop.CancelAsync();
        return true;
    }

    public void Dispose() => _stop.Dispose();
}
