using System.Diagnostics;
using System.Text;
using Broker.Bridge.Mapping;
using Broker.Client;
using Broker.Client.Errors;
using Broker.Client.Subscriptions;

namespace Broker.Bridge.PubSub;

// Which subjects are subscribed to: what SUB peers ask for, lowered to filters. Peers live on any loop; the interest set on
// the client's, where messages and PONGs arrive, so that all of it has one order.
//
// Changes are made in batches, each with one barrier, and the next not before the barrier of the last has come back. In
// between a prefix that is asked for and taken back costs nothing. That, and a pause in proportion to the work of a batch,
// bounds what a peer can cause that toggles a prefix above many others, of which each turn is a subscription for every one.
//
// A batch is small, but one change in it may concern every filter; so what follows from a batch is sent in pieces, one in a
// turn of the loop, in order and with the barrier last.
internal sealed partial class PubSubRoute
{
    private const int MostPrefixBytes = 4 * 1024 * 1024;

    // So much that a batch and a piece take well under a millisecond.
    private const int WorkOfBatch = 128;
    private const int CommandsOfPiece = 128;

    // At most a fifth of the loop's time goes into batches; those shorter than this are not worth a pause.
    private const int PauseFactor = 4;
    private static readonly TimeSpan ShortBatch = TimeSpan.FromMilliseconds(2);

    // After a fault of our own: the same may happen again, and must not do so without end at once.
    private static readonly TimeSpan FaultPause = TimeSpan.FromSeconds(1);

    private readonly InterestChanges _changes;
    private int _applyPosted;

    // The rest on the client's loop only.
    private readonly InterestSet _interest;
    private readonly Dictionary<long, Subscription> _held = [];
    private readonly Queue<Command> _commands = new();
    private readonly List<byte[]> _adding = [];
    private readonly List<byte[]> _removing = [];

    // Whether commands are being sent, one piece in a turn; whether a batch is; and whether the last one is to be paused for.
    private bool _sending;
    private bool _batchOpen;
    private TimeSpan _pause;

    // The barrier that the last commands need, and how many are out.
    private long _barrierDue;
    private int _barriersOut;
    private bool _filterRefused;

    /// <summary>How many changes wait.</summary>
    internal int InterestChanges => _changes.Count;

    private bool IsOver => _closing || Client.State == ConnectionState.Closed;

    /// <summary>The state of a subscription: its number in the interest set.</summary>
    private sealed record Held(long Id);

    /// <summary>What the interest set wants to be sent: a filter to subscribe to, an end (no filter), or a barrier (an id of 0).</summary>
    private readonly record struct Command(long Id, string? Filter, long Barrier);

    // Last values are kept of what nobody asks for yet.
    internal override void Start()
    {
        if (_lastValues is not null)
        {
            Change([], wanted: true);
        }
    }

    // Under a lock of the socket, on the peer's loop.
    private void OnInterest(ReadOnlySpan<byte> prefix, bool wanted)
    {
        if (!IsOver && _lastValues is null)
        {
            Change(prefix, wanted);
        }
    }

    private void Change(ReadOnlySpan<byte> prefix, bool wanted)
    {
        _changes.Change(prefix, wanted, _egress);
        if (Interlocked.Exchange(ref _applyPosted, 1) == 0)
        {
            Client.Loop.Post(ApplyChanges);
        }
    }

    private void ApplyChanges()
    {
        Volatile.Write(ref _applyPosted, 0);
        if (_batchOpen || IsOver || !_changes.Take(WorkOfBatch, _adding, _removing))
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
            Log.Fault(e);
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
            if (IsOver || !_commands.TryDequeue(out Command command))
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

        Client.Loop.Post(SendPiece);
    }

    // A filter that the connection does not take has met one of its limits; the others must not go without theirs for that. A barrier
    // must come back at last.
    private void Recover(Command command, Exception error)
    {
        if (command.Barrier != 0)
        {
            Log.Fault(error);
            _barrierDue = Math.Max(_barrierDue, command.Barrier);
            Client.Loop.StartTimer(FaultPause, SendCommands);
        }
        else if (!_filterRefused)
        {
            _filterRefused = true;
            Log.FilterRefused(command.Filter, error.Message);
        }
    }

    private void Send(Command command)
    {
        if (command.Barrier != 0)
        {
            Client.Barrier(OnBarrier, command.Barrier);
            _barriersOut++;
        }
        else if (command.Filter is { } filter)
        {
            try
            {
                _held.Add(command.Id, Client.Subscribe(filter, OnSubjectMessage, state: new Held(command.Id)));
            }
            catch (ConnectionLostException)
            {
                // Closed for good a moment ago: there is nothing to subscribe to.
            }
        }
        else if (_held.Remove(command.Id, out Subscription? subscription))
        {
            subscription.Unsubscribe();
        }
    }

    // When everything is sent and answered.
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
            Client.Loop.StartTimer(pause, EndBatch);
            return;
        }

        // In another turn: a batch that asks nothing of the server ends at once.
        _batchOpen = false;
        Client.Loop.Post(ApplyChanges);
    }

    // The client would renew them by itself, under numbers that the interest set gives up when it is reset.
    private void DropHeld()
    {
        _commands.Clear();
        _barrierDue = 0;
        foreach (Subscription subscription in _held.Values)
        {
            subscription.Unsubscribe();
        }

        _held.Clear();
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
                Log.Fault(e);
            }
        }

        SendCommands();
    }

    private readonly struct Commands(PubSubRoute bridge) : IInterestCommands
    {
        public void Subscribe(long id, ReadOnlySpan<byte> filter) =>
            bridge._commands.Enqueue(new Command(id, Encoding.ASCII.GetString(filter), Barrier: 0));

        public void Unsubscribe(long id) => bridge._commands.Enqueue(new Command(id, Filter: null, Barrier: 0));

        // One barrier behind all commands of a batch stands for the earlier ones.
        public void Barrier(long token) => bridge._barrierDue = token;
    }
}
