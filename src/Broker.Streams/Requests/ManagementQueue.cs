namespace Broker.Streams;

/// <summary>
/// Runs requests that change streams one after the other: the next one begins when the one before it is on the disk. So
/// each of them sees the result of the others.
/// </summary>
internal sealed class ManagementQueue
{
    private readonly Queue<(ApiRequest Request, Action<ApiRequest> Run)> _waiting = new();
    private bool _isBusy;
    private bool _isRunning;

    /// <summary>The bytes of the requests that wait.</summary>
    internal long Bytes { get; private set; }

    internal void Add(ApiRequest request, Action<ApiRequest> run)
    {
        _waiting.Enqueue((request, run));
        Bytes += SizeOf(request);
        RunNext();
    }

    /// <summary>Called by a request that waits for the disk.</summary>
    internal void Begin() => _isBusy = true;

    /// <summary>Called when the disk has answered.</summary>
    internal void End()
    {
        _isBusy = false;
        RunNext();
    }

    private static long SizeOf(ApiRequest request) => 100 + request.Body.Length + request.Reply.Length + request.Operation.Length;

    private void RunNext()
    {
        if (_isRunning)
        {
            return;
        }

        _isRunning = true;
        try
        {
            while (!_isBusy && _waiting.TryDequeue(out (ApiRequest Request, Action<ApiRequest> Run) next))
            {
                Bytes -= SizeOf(next.Request);
                next.Run(next.Request);
            }
        }
        finally
        {
            _isRunning = false;
        }
    }
}
