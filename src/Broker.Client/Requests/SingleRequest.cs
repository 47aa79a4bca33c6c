using System.Threading.Tasks.Sources;
using Broker.Client.Errors;
using Broker.Client.Subscriptions;
using Broker.Protocol.Headers;
using Broker.Transport;

namespace Broker.Client.Requests;

/// <summary>
/// A request for one answer, awaited or waited for by a thread that blocks. Used again for another request once its outcome has been
/// taken: so a request costs the memory of its answer and nothing else.
/// </summary>
/// <remarks>
/// Outcomes come from the loop, from whoever cancels, or from whoever closes; the table decides who is first. What awaits runs on the
/// thread pool, never on the thread that brought the outcome.
/// </remarks>
internal sealed class SingleRequest(Requester owner) : PendingReply, IValueTaskSource<Message>
{
    private const int NoResponders = 503;

    private ManualResetValueTaskSourceCore<Message> _source;
    private ManualResetEventSlim? _event;
    private CancellationTokenRegistration _registration;
    private CancellationToken _token;
    private Message _answer;
    private Exception? _failure;
    private EventLoop? _turned;
    private bool _blocks;

    /// <summary>The outcome, to be awaited once.</summary>
    internal ValueTask<Message> Task => new(this, _source.Version);

    internal void WatchFor(CancellationToken token)
    {
        if (!token.CanBeCanceled)
        {
            return;
        }

        _token = token;
        _registration = token.UnsafeRegister(static request => ((SingleRequest)request!).Cancel(), this);
    }

    /// <summary>Prepares it for a thread that blocks.</summary>
    /// <param name="turned">The loop that the thread turns meanwhile, if it does.</param>
    internal void Block(EventLoop? turned = null)
    {
        _blocks = true;
        _turned = turned;
        // An answer takes as long as two threads need to wake, and whoever spins meanwhile keeps one of them from that.
        _event ??= new ManualResetEventSlim(initialState: false, spinCount: 0);
    }

    /// <summary>Blocks until there is an outcome; gives it up where none comes in time.</summary>
    /// <exception cref="OperationCanceledException">Cancelled.</exception>
    internal Message Wait(TimeSpan timeout, CancellationToken token)
    {
        try
        {
            if (!_event!.Wait(timeout, token))
            {
                owner.GiveUp(this, Requester.TimeoutOf(Subject));
            }
        }
        catch (OperationCanceledException e)
        {
            owner.GiveUp(this, e);
        }

        // Where it could not be given up the outcome is there, or about to be.
        _event!.Wait(CancellationToken.None);
        return TakeOutcome();
    }

    /// <summary>Turns the loop until there is an outcome, which the loop's timer sees to where nothing else does.</summary>
    /// <exception cref="OperationCanceledException">Cancelled.</exception>
    internal Message Turn(EventLoop loop)
    {
        while (!_event!.IsSet)
        {
            loop.RunOnce(Timeout.InfiniteTimeSpan);
        }

        _registration.Dispose();
        return TakeOutcome();
    }

    internal override void Take(in MessageView answer, long number, RequestTable table)
    {
        if (!table.TryTake(this, number))
        {
            return;
        }

        if (answer.Body.IsEmpty && HeaderBlock.Status(answer.Headers) == NoResponders)
        {
            Complete(default, new NoRespondersException(Subject));
        }
        else
        {
            Complete(answer.ToMessage(), null);
        }
    }

    internal override void TimeOut()
    {
        owner.NoteGivenUp();
        Complete(default, Requester.TimeoutOf(Subject));
    }

    internal override void Fail(Exception reason) => Complete(default, reason);

    /// <summary>The next that goes on, in <see cref="Continuations"/>.</summary>
    internal SingleRequest? Next { get; set; }

    /// <summary>Lets whoever awaits it go on. On the thread pool.</summary>
    internal void GoOn()
    {
        if (_failure is null)
        {
            _source.SetResult(_answer);
        }
        else
        {
            _source.SetException(_failure);
        }
    }

    public Message GetResult(short token)
    {
        try
        {
            return _source.GetResult(token);
        }
        finally
        {
            // Waits for a cancellation that is under way: it must not meet the next request.
            _registration.Dispose();
            Recycle();
        }
    }

    public ValueTaskSourceStatus GetStatus(short token) => _source.GetStatus(token);

    public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags)
        => _source.OnCompleted(continuation, state, token, flags);

    /// <summary>Makes it fit for another request, when nobody else knows of it.</summary>
    internal void Recycle()
    {
        _registration = default;
        _token = default;
        _answer = default;
        _failure = null;
        _blocks = false;
        _turned = null;
        _event?.Reset();
        _source.Reset();
        Number = 0;
        Subject = "";
        owner.Return(this);
    }

    private Message TakeOutcome()
    {
        (Message answer, Exception? failure) = (_answer, _failure);
        Recycle();
        return failure is null ? answer : throw failure;
    }

    private void Cancel() => owner.GiveUp(this, new OperationCanceledException(_token));

    private void Complete(in Message answer, Exception? failure)
    {
        _answer = answer;
        _failure = failure;
        if (_blocks)
        {
            // Who turns the loop sleeps in it. Read before: once it is set the next request may have this.
            EventLoop? turned = _turned;
            _event!.Set();
            if (turned is { IsCurrent: false })
            {
                turned.Post(static () => { });
            }
        }
        else
        {
            owner.Continuations.Add(this);
        }
    }
}
