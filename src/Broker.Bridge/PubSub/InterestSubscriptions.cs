using System.Diagnostics;
using System.Text;
using Broker.Client;
using Broker.ZeroMq.Loops;

namespace Broker.Bridge;

/// <summary>
/// The NATS subscriptions of a PUB/SUB route: one for each filter that the prefixes of its SUBs need.
/// </summary>
/// <remarks>
/// <para>
/// SUB peers run on any loop. The interest set runs on the client's loop, where messages and PONGs arrive, so that all
/// of them have one order.
/// </para>
/// <para>
/// Changes are applied in batches. Each batch has one barrier, and the next batch starts when the server has answered
/// this barrier. If a peer subscribes to a prefix and unsubscribes between two batches, the bridge does nothing. A long
/// batch is followed by a pause in proportion to its duration. So the bridge limits the work that a peer causes when it
/// toggles a prefix above many others: each toggle changes the subscriptions of all of them.
/// </para>
/// <para>
/// A batch is small, but a single change in it may concern every filter. Therefore the commands of a batch are sent in
/// pieces, one per iteration of the loop, in order and with the barrier last.
/// </para>
/// </remarks>
internal sealed class InterestSubscriptions
{
    private const int MostPrefixBytes = 4 * 1024 * 1024;

    // The limits of a batch and of a piece. Both take far less than a millisecond.
    private const int WorkOfBatch = 128;
    private const int CommandsOfPiece = 128;

    // The pause after a batch is four times as long as the batch, so batches take at most a fifth of the loop's time. A
    // batch that is shorter than ShortBatch needs no pause.
    private const int PauseFactor = 4;
    private static readonly TimeSpan ShortBatch = TimeSpan.FromMilliseconds(2);

    // The pause after an unexpected error. The error may occur again, and must not do so in a tight loop.
    private static readonly TimeSpan FaultPause = TimeSpan.FromSeconds(1);

    private readonly BrokerConnection _client;
    private readonly RouteLog _log;
    private readonly MessageHandler _onMessage;
    private readonly InterestChanges _changes;
    private volatile bool _closing;
    private int _applyPosted;

    // The following fields are used on the client's loop only.
    private readonly InterestSet _interest;
    private readonly Dictionary<long, Subscription> _subscriptions = [];
    private readonly Queue<Command> _commands = new();
    private readonly List<byte[]> _adding = [];
    private readonly List<byte[]> _removing = [];

    // Whether commands are being sent, whether a batch is in progress, and the pause after it.
    private bool _sending;
    private bool _batchOpen;
    private TimeSpan _pause;

    // The barrier that must follow the queued commands, and how many barriers the server has not answered.
    private long _barrierDue;
    private int _barriersOut;
    private bool _filterRefused;

    internal InterestSubscriptions(
        BrokerConnection client, RouteLog log, TopicCodec codec, int maxFilters, MessageHandler onMessage)
    {
        _client = client;
        _log = log;
        _onMessage = onMessage;
        _changes = new InterestChanges(maxFilters, MostPrefixBytes);

        // The set must have space for the prefixes in use, for prefixes that are still to be removed, and for one
        // batch. InterestChanges enforces these limits.
        int maxPrefixes = (int)Math.Min((3L * maxFilters) + WorkOfBatch, int.MaxValue);
        _interest = new InterestSet(codec, maxPrefixes, 4L * MostPrefixBytes);
    }

    /// <summary>The number of pending changes.</summary>
    internal int PendingChanges => _changes.Count;

    /// <summary>Whether changes have no effect any more. May be read on any thread.</summary>
    internal bool IsClosed => _closing || _client.State == ConnectionState.Closed;

    /// <summary>The state of a subscription: its id in the interest set.</summary>
    private sealed record InterestId(long Value);

    /// <summary>
    /// A queued command of the interest set: a filter to subscribe to, an id to unsubscribe (no filter), or a barrier
    /// (an id of 0).
    /// </summary>
    private readonly record struct Command(long Id, string? Filter, long Barrier);

    /// <summary>
    /// Records that the first SUB has subscribed to a prefix or the last SUB has unsubscribed. May be called on any
    /// thread.
    /// </summary>
    internal void Change(ReadOnlySpan<byte> prefix, bool wanted, LoopPublisher socket)
    {
        _changes.Change(prefix, wanted, socket);
        if (Interlocked.Exchange(ref _applyPosted, 1) == 0)
        {
            _client.Loop.Post(ApplyChanges);
        }
    }

    /// <summary>Returns whether a message must be delivered to ZeroMQ peers. Called on the client's loop.</summary>
    internal bool ShouldDeliver(in MessageView message)
        => _interest.ShouldDeliver(((InterestId)message.Subscription.State!).Value);

    /// <summary>Handles the loss of the server. Called on the client's loop.</summary>
    internal void OnServerLost() => UnsubscribeAll();

    /// <summary>Subscribes again when a server is connected. Called on the client's loop.</summary>
    internal void OnServerConnected()
    {
        // Drops subscriptions that were made while no server was connected.
        UnsubscribeAll();
        _filterRefused = false;
        var commands = new Commands(this);
        _interest.ConnectionReset(ref commands);
        SendCommands();
    }

    /// <summary>Ignores further changes. May be called on any thread.</summary>
    internal void StopChanges() => _closing = true;

    /// <summary>Ends all subscriptions. Called on the client's loop.</summary>
    internal void Close() => UnsubscribeAll();

    private void ApplyChanges()
    {
        Volatile.Write(ref _applyPosted, 0);
        if (_batchOpen || IsClosed || !_changes.TakeBatch(WorkOfBatch, _adding, _removing))
        {
            return;
        }

        _batchOpen = true;
        long begin = Stopwatch.GetTimestamp();
        try
        {
            var commands = new Commands(this);
            foreach (byte[] prefix in _adding)
            {
                _interest.Add(prefix, ref commands);
            }

            foreach (byte[] prefix in _removing)
            {
                _interest.Remove(prefix, ref commands);
            }
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            _log.Fault(e);
            _pause = FaultPause;
        }

        _adding.Clear();
        _removing.Clear();
        TimeSpan spent = Stopwatch.GetElapsedTime(begin);
        if (spent > ShortBatch && _pause == TimeSpan.Zero)
        {
            _pause = spent * PauseFactor;
        }

        SendCommands();
    }

    private void SendCommands()
    {
        if (_barrierDue != 0)
        {
            _commands.Enqueue(new Command(0, Filter: null, _barrierDue));
            _barrierDue = 0;
        }

        if (!_sending)
        {
            _sending = true;
            SendPiece();
        }
    }

    private void SendPiece()
    {
        for (int left = CommandsOfPiece; left > 0; left--)
        {
            if (IsClosed || !_commands.TryDequeue(out Command command))
            {
                _sending = false;
                _commands.Clear();
                EndBatch();
                return;
            }

            try
            {
                Send(command);
            }
            catch (Exception e) when (e is not OutOfMemoryException)
            {
                Recover(command, e);
            }
        }

        _client.Loop.Post(SendPiece);
    }

    // If the connection refuses a filter because of one of its limits, the other filters are still sent. A barrier must
    // be sent again, because the batch ends only when the server answers the barrier.
    private void Recover(Command command, Exception error)
    {
        if (command.Barrier != 0)
        {
            _log.Fault(error);
            _barrierDue = Math.Max(_barrierDue, command.Barrier);
            _client.Loop.StartTimer(FaultPause, SendCommands);
        }
        else if (!_filterRefused)
        {
            _filterRefused = true;
            _log.FilterRefused(command.Filter, error.Message);
        }
    }

    private void Send(Command command)
    {
        if (command.Barrier != 0)
        {
            _client.Barrier(OnBarrier, command.Barrier);
            _barriersOut++;
        }
        else if (command.Filter is { } filter)
        {
            try
            {
                var id = new InterestId(command.Id);
                _subscriptions.Add(command.Id, _client.Subscribe(filter, _onMessage, state: id));
            }
            catch (ConnectionLostException)
            {
                // The connection has just been closed, and there is nothing to subscribe to.
            }
        }
        else if (_subscriptions.Remove(command.Id, out Subscription? subscription))
        {
            subscription.Unsubscribe();
        }
    }

    // Ends the batch when all its commands have been sent and the server has answered its barriers.
    private void EndBatch()
    {
        if (!_batchOpen || _sending || _barriersOut != 0)
        {
            return;
        }

        if (_pause > TimeSpan.Zero)
        {
            TimeSpan pause = _pause;
            _pause = TimeSpan.Zero;
            _client.Loop.StartTimer(pause, EndBatch);
            return;
        }

        // The next batch runs in a later iteration, because a batch without commands to the server ends at once.
        _batchOpen = false;
        _client.Loop.Post(ApplyChanges);
    }

    // Unsubscribes everything. Otherwise the client would subscribe again on its own, with ids that the interest set no
    // longer uses after its reset.
    private void UnsubscribeAll()
    {
        _commands.Clear();
        _barrierDue = 0;
        foreach (Subscription subscription in _subscriptions.Values)
        {
            subscription.Unsubscribe();
        }

        _subscriptions.Clear();
    }

    private void OnBarrier(object? token, bool reached)
    {
        _barriersOut--;
        if (reached)
        {
            try
            {
                var commands = new Commands(this);
                _interest.BarrierReached((long)token!, ref commands);
            }
            catch (Exception e) when (e is not OutOfMemoryException)
            {
                _log.Fault(e);
            }
        }

        SendCommands();
    }

    private readonly struct Commands(InterestSubscriptions owner) : IInterestCommands
    {
        public void Subscribe(long id, ReadOnlySpan<byte> filter)
            => owner._commands.Enqueue(new Command(id, Encoding.ASCII.GetString(filter), Barrier: 0));

        public void Unsubscribe(long id) => owner._commands.Enqueue(new Command(id, Filter: null, Barrier: 0));

        // A batch needs only one barrier, after all its commands, so the last token replaces earlier tokens.
        public void Barrier(long token) => owner._barrierDue = token;
    }
}
