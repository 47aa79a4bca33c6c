using System.Threading.Channels;

namespace Broker.Cli.Serving;

/// <summary>
/// How a running broker is asked to do something: by signals, by a service manager that has none, or by a test. Thread-safe.
/// </summary>
internal sealed class ServeControl : IDisposable
{
    private readonly CancellationTokenSource _stop;

    // What is asked for a hundred times need not be done so often.
    private readonly Channel<ControlRequest> _requests = Channel.CreateBounded<ControlRequest>(
        new BoundedChannelOptions(8) { FullMode = BoundedChannelFullMode.DropWrite });

    public ServeControl(CancellationToken stop = default) => _stop = CancellationTokenSource.CreateLinkedTokenSource(stop);

    /// <summary>Cancelled when the broker is to stop.</summary>
    public CancellationToken Stop => _stop.Token;

    /// <summary>What was asked for, in order.</summary>
    public ChannelReader<ControlRequest> Requests => _requests.Reader;

    public void Request(ControlRequest request) => _requests.Writer.TryWrite(request);

    /// <summary>False when that was asked for before.</summary>
    public bool RequestStop()
    {
        if (_stop.IsCancellationRequested)
        {
            return false;
        }

        _ = _stop.CancelAsync(); // Not on this thread: what follows is the whole of the stop.
        return true;
    }

    public void Dispose() => _stop.Dispose();
}
