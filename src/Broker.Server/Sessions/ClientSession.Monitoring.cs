using System.Diagnostics;
using System.Net;
using Broker.Server.Monitoring;
using Broker.Server.Routing;

namespace Broker.Server.Sessions;

// What monitoring is told. Counted on the loops that do the work, at most one plain addition per message; read from any thread,
// one number at a time, so that numbers of one client may be of moments that lie a little apart.
internal sealed partial class ClientSession
{
    private long _messagesIn;
    private long _payloadIn;
    private long _lastActivity;
    private long _pingSent;
    private long _roundTrip;

    internal ClientTransport Transport { get; }

    /// <summary>When it connected; UTC.</summary>
    internal DateTime Started { get; } = DateTime.UtcNow;

    /// <summary>What the client was told last, when this side ended the connection for a reason.</summary>
    internal string? Failure { get; private set; }

    internal long MessagesIn => Volatile.Read(ref _messagesIn);

    internal long PayloadIn => Volatile.Read(ref _payloadIn);

    internal long MessagesOut => _target.Messages;

    internal long PayloadOut => _target.PayloadBytes;

    internal long LastActivityTick => Volatile.Read(ref _lastActivity);

    // Null until the first turn of its loop after it was accepted.
    /// <summary>Why the server ends it; null while it does not. Written on the loop before the connection is closed.</summary>
    internal string? EndedFor => !_ended ? null : Failure is null ? "Server Shutdown" : CloseText.OfFailure(Failure);

    internal long PendingBytes => Connection?.PendingBytes ?? 0;

    /// <summary>What can be told of it now. Any thread.</summary>
    internal ConnectionFacts Describe(DateTime now)
    {
        ConnectRequest? connect = _connect;
        var ip = RemoteEndPoint as IPEndPoint;
        TimeSpan idle = TimeSpan.FromMilliseconds(Math.Max(0, Environment.TickCount64 - LastActivityTick));
        DateTime last = now - idle;
        long roundTrip = Volatile.Read(ref _roundTrip);
        return new ConnectionFacts
        {
            Id = Id,
            Transport = Transport,
            Address = ip?.Address.ToString() ?? "",
            Port = ip?.Port ?? 0,
            Started = Started,
            LastActivity = last < Started ? Started : last,
            RoundTrip = roundTrip == 0 ? null : Stopwatch.GetElapsedTime(0, roundTrip),
            PendingBytes = PendingBytes,
            MessagesIn = MessagesIn,
            MessagesOut = MessagesOut,
            BytesIn = PayloadIn,
            BytesOut = PayloadOut,
            Subscriptions = SubscriptionCount,
            Name = connect?.Name,
            Language = connect?.Language,
            Version = connect?.Version,
            User = UserName,
            Account = _account.Name,
            TlsVersion = TlsVersion,
            TlsCipherSuite = TlsCipherSuite,
            IsTlsFirst = _tls is { WasFirst: true },
        };
    }

    /// <summary>Up to <paramref name="most"/> of its subscriptions, from the <paramref name="skip"/>-th on. On the loop.</summary>
    internal Subscription[] CopySubscriptions(int skip, int most)
        => _subscriptions is null ? [] : _subscriptions.Copy(skip, most);

    private SubscriptionTable StartSubscriptions()
    {
        // Before a publisher can find a subscription.
        _target.BeginCounting(_server.LoopCount);
        return new SubscriptionTable(_server.Accounts.Global.Router.Seed);
    }

    private void PingSent() => _pingSent = Stopwatch.GetTimestamp();

    private void PongReceived()
    {
        // Not the answer to anything, when none was asked for.
        if (_pingSent != 0)
        {
            long took = Math.Max(1, Stopwatch.GetTimestamp() - _pingSent);
            Volatile.Write(ref _roundTrip, took);
            _publisher.RoundTripNanoseconds = Stopwatch.GetElapsedTime(0, took).Ticks * TimeSpan.NanosecondsPerTick;
            _pingSent = 0;
        }
    }
}
