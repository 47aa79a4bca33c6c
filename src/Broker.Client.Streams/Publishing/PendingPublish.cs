using System.Threading.Tasks.Sources;

namespace Broker.Client.Streams;

/// <summary>
/// A message that was published and has no outcome yet, and the task of its caller. The object is used again when the
/// caller has taken the outcome.
/// </summary>
internal sealed class PendingPublish(AckedPublisher owner) : IValueTaskSource<PublishAck>
{
    private ManualResetValueTaskSourceCore<PublishAck> _source;
    private CancellationTokenRegistration _registration;
    private CancellationToken _token;
    private PublishAck _ack;
    private Exception? _failure;

    internal string Subject { get; private set; } = "";

    internal ReadOnlyMemory<byte> Body { get; private set; }

    internal ReadOnlyMemory<byte> Headers { get; private set; }

    internal StreamPublishOptions Options { get; private set; }

    internal PublishPhase Phase { get; set; }

    /// <summary>The number in the reply subject. It also is the place in the owner's table.</summary>
    internal long Number { get; set; }

    /// <summary>When the wait for the acknowledgement ends, in <see cref="Environment.TickCount64"/>.</summary>
    internal long Deadline { get; set; }

    /// <summary>When the message is sent again in <see cref="PublishPhase.Retrying"/>.</summary>
    internal long RetryAt { get; set; }

    internal int Retries { get; set; }

    /// <summary>When the caller published the message, in ticks of <see cref="System.Diagnostics.Stopwatch"/>. 0 if
    /// nobody measures it.</summary>
    internal long Began { get; set; }

    /// <summary>Whether the message was passed to the connection at least once.</summary>
    internal bool WasSent { get; set; }

    /// <summary>The next in the list of messages whose outcome the callers have not seen yet.</summary>
    internal PendingPublish? Next { get; set; }

    internal long Size => Subject.Length + Body.Length + Headers.Length;

    internal ValueTask<PublishAck> Task => new(this, _source.Version);

    internal void Begin(string subject, ReadOnlyMemory<byte> body, ReadOnlyMemory<byte> headers, in StreamPublishOptions options)
    {
        Subject = subject;
        Body = body;
        Headers = headers;
        Options = options;
        Retries = 0;
        WasSent = false;
    }

    internal void Observe(CancellationToken cancellationToken)
    {
        if (cancellationToken.CanBeCanceled)
        {
            _token = cancellationToken;
            _registration = cancellationToken.UnsafeRegister(static state => ((PendingPublish)state!).Cancel(), this);
        }
    }

    /// <summary>Keeps the outcome. <see cref="RunContinuation"/> passes it to the caller.</summary>
    internal void SetOutcome(in PublishAck ack, Exception? failure)
    {
        _ack = ack;
        _failure = failure;
    }

    /// <summary>Completes the caller's task. Called on the thread pool.</summary>
    internal void RunContinuation()
    {
        if (_failure is { } failure)
        {
            _source.SetException(failure);
        }
        else
        {
            _source.SetResult(_ack);
        }
    }

    /// <inheritdoc/>
    public PublishAck GetResult(short token)
    {
        try
        {
            return _source.GetResult(token);
        }
        finally
        {
            // This waits for a cancellation that runs, so that it cannot end the next message of this object.
            _registration.Dispose();
            Recycle();
        }
    }

    /// <inheritdoc/>
    public ValueTaskSourceStatus GetStatus(short token) => _source.GetStatus(token);

    /// <inheritdoc/>
    public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags)
        => _source.OnCompleted(continuation, state, token, flags);

    /// <summary>Makes the object ready for another message.</summary>
    internal void Recycle()
    {
        _registration = default;
        _token = default;
        _failure = null;
        _ack = default;
        Subject = "";
        Body = default;
        Headers = default;
        Options = default;
        _source.Reset();
        owner.Return(this);
    }

    private void Cancel() => owner.Cancel(this, _token);
}
