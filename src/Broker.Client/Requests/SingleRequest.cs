using System.Threading.Tasks.Sources;
using Broker.Protocol;
using Broker.Transport;

namespace Broker.Client;

/// <summary>
/// A request for one reply, either awaited or with a blocked thread. The object is reused for another request after its
/// outcome has been taken, so a request allocates only the memory of its reply.
/// </summary>
/// <remarks>
/// The outcome comes from the loop, from a cancellation or from the close of the connection. The table decides which
/// outcome is first. A continuation runs on the thread pool, never on the thread that set the outcome.
/// </remarks>
internal sealed class SingleRequest(Requester owner) : AwaitedRequest, IValueTaskSource<Message>
{
    private const int NoResponders = 503;

    private ManualResetValueTaskSourceCore<Message> _source;
    private ManualResetEventSlim? _event;
    private CancellationTokenRegistration _registration;
    private CancellationToken _token;
    private Message _reply;
    private Exception? _failure;

    // The cause for which this request and others have failed. The request's own exception is created by the code that
    // takes the outcome, and not by the loop, because the loop may fail 100,000 requests at once.
    private Exception? _sharedCause;
    private EventLoop? _drivenLoop;
    private bool _blocks;

    /// <summary>The task of the outcome. It must be awaited only once.</summary>
    internal ValueTask<Message> Task => new(this, _source.Version);

    internal void Observe(CancellationToken token)
    {
        if (!token.CanBeCanceled)
        {
            return;
        }

        _token = token;
        _registration = token.UnsafeRegister(static request => ((SingleRequest)request!).Cancel(), this);
    }

    /// <summary>Prepares the request for a thread that blocks.</summary>
    /// <param name="drivenLoop">The loop that the thread drives meanwhile, if any.</param>
    internal void Block(EventLoop? drivenLoop = null)
    {
        _blocks = true;
        _drivenLoop = drivenLoop;
        // A reply takes as long as two threads need to wake, and a spinning thread would take the processor from one of
        // them.
        _event ??= new ManualResetEventSlim(initialState: false, spinCount: 0);
    }

    /// <summary>Blocks until there is an outcome. Ends the request at its timeout.</summary>
    /// <exception cref="OperationCanceledException"><paramref name="token"/> was cancelled.</exception>
    internal Message Wait(TimeSpan timeout, CancellationToken token)
    {
        try
        {
            if (!_event!.Wait(timeout, token))
            {
                owner.Cancel(this, Requester.TimeoutOf(Subject));
            }
        }
        catch (OperationCanceledException e)
        {
            owner.Cancel(this, e);
        }

        // If the request could not be removed, its outcome is set or is about to be set.
        _event!.Wait(CancellationToken.None);
        return TakeOutcome();
    }

    /// <summary>
    /// Runs iterations of the loop until there is an outcome. The loop's timer ends the request if nothing else does.
    /// </summary>
    /// <exception cref="OperationCanceledException">The token of <see cref="Observe"/> was cancelled.</exception>
    internal Message DriveLoop(EventLoop loop)
    {
        while (!_event!.IsSet)
        {
            loop.RunOnce(Timeout.InfiniteTimeSpan);
        }

        _registration.Dispose();
        return TakeOutcome();
    }

    internal override void ReceiveReply(in MessageView reply, long number, RequestTable table)
    {
        if (!table.TryTake(this, number))
        {
            return;
        }

        if (reply.Body.IsEmpty && HeaderBlock.Status(reply.Headers) == NoResponders)
        {
            Complete(default, new NoRespondersException(Subject));
        }
        else
        {
            Complete(reply.ToMessage(), null);
        }
    }

    internal override void TimeOut(bool loopIsBlocked = false)
    {
        owner.NoteCancelled();
        Complete(default, Requester.TimeoutOf(Subject, loopIsBlocked));
    }

    internal override void Fail(Exception reason) => Complete(default, reason);

    internal override void FailWithOthers(Exception cause)
    {
        _sharedCause = cause;
        Complete(default, null);
    }

    /// <summary>The next request in the list of <see cref="Continuations"/>.</summary>
    internal SingleRequest? Next { get; set; }

    /// <summary>Runs the continuation of the awaiting code. Called on the thread pool.</summary>
    internal void RunContinuation()
    {
        if (Failure is { } failure)
        {
            _source.SetException(failure);
        }
        else
        {
            _source.SetResult(_reply);
        }
    }

    public Message GetResult(short token)
    {
        if (_source.GetStatus(token) == ValueTaskSourceStatus.Pending)
        {
            // The request is still in the table, so it must not be recycled.
            throw new InvalidOperationException("The reply has not come. Await the task of RequestAsync, or block with Request in its place.");
        }

        try
        {
            return _source.GetResult(token);
        }
        finally
        {
            // This waits for a cancellation that is in progress, so that the cancellation cannot affect the next
            // request.
            _registration.Dispose();
            Recycle();
        }
    }

    public ValueTaskSourceStatus GetStatus(short token) => _source.GetStatus(token);

    public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags)
        => _source.OnCompleted(continuation, state, token, flags);

    /// <summary>Resets the object for another request, when no other code refers to it.</summary>
    internal void Recycle()
    {
        _registration = default;
        _token = default;
        _reply = default;
        _failure = null;
        _sharedCause = null;
        _blocks = false;
        _drivenLoop = null;
        _event?.Reset();
        _source.Reset();
        Number = 0;
        Subject = "";
        owner.Return(this);
    }

    private Exception? Failure => _failure ?? (_sharedCause is { } cause ? ConnectionLostException.ForOneOfMany(cause) : null);

    private Message TakeOutcome()
    {
        (Message reply, Exception? failure) = (_reply, Failure);
        Recycle();
        return failure is null ? reply : throw failure;
    }

    private void Cancel() => owner.Cancel(this, new OperationCanceledException(_token));

    private void Complete(in Message reply, Exception? failure)
    {
        _reply = reply;
        _failure = failure;
        if (_blocks)
        {
            // A thread that drives the loop sleeps in it and must be woken. The field is read before Set, because
            // another request may use this object after Set.
            EventLoop? drivenLoop = _drivenLoop;
            _event!.Set();
            if (drivenLoop is { IsCurrent: false })
            {
                drivenLoop.Post(static () => { });
            }
        }
        else
        {
            owner.Continuations.Add(this);
        }
    }
}
