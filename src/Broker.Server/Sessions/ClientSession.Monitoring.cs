using System.Net;
using System.Security.Authentication;

namespace Broker.Server;

// Values for monitoring. Each loop counts its own work, with at most one plain addition for each message. Any thread
// may read the counters one after another, so the counters of one client may belong to slightly different moments.
internal sealed partial class ClientSession
{
    /// <summary>The UTC time when the client connected.</summary>
    internal DateTime Started { get; }

    internal long MessagesIn => _receiving.Messages;

    internal long PayloadIn => _receiving.PayloadBytes;

    internal long MessagesOut => _target.Messages;

    internal long PayloadOut => _target.PayloadBytes;

    internal long LastActivityTick => _liveness.LastActivity;

    /// <summary>The principal that the client has authenticated as; null before authentication.</summary>
    internal Principal? Principal => _identity.Principal;

    /// <summary>Whether the client announced in its CONNECT that it accepts another INFO. Thread-safe.</summary>
    internal bool AcceptsInfo => _authentication.Request is { ProtocolLevel: >= 1 };

    // The connection is null until the first iteration of its loop after it was accepted.
    internal long PendingBytes => _channel.Connection?.PendingBytes ?? 0;

    /// <summary>Creates a description of the client for monitoring. Thread-safe.</summary>
    internal ConnectionDescription Describe(DateTime now)
    {
        ConnectRequest? request = _authentication.Request;
        var ip = RemoteEndPoint as IPEndPoint;
        var idle = TimeSpan.FromMilliseconds(Math.Max(0, _server.Tick - LastActivityTick));
        DateTime last = now - idle;
        return new ConnectionDescription
        {
            Id = Id,
            Transport = Transport,
            Address = ip?.Address.ToString() ?? "",
            Port = ip?.Port ?? 0,
            Started = Started,
            LastActivity = last < Started ? Started : last,
            RoundTrip = _liveness.RoundTrip,
            PendingBytes = PendingBytes,
            Stalls = _receiving.Stalls,
            MessagesIn = MessagesIn,
            MessagesOut = MessagesOut,
            BytesIn = PayloadIn,
            BytesOut = PayloadOut,
            Subscriptions = _subscriptions.Count,
            Name = request?.Name,
            Language = request?.Language,
            Version = request?.Version,
            User = _identity.Principal?.Name,
            Account = Account.Name,
            TlsVersion = _channel.Connection?.TlsDescription?.Protocol switch
            {
                null => null,
                SslProtocols.Tls12 => "1.2",
                SslProtocols.Tls13 => "1.3",
                { } other => other.ToString(),
            },
            TlsCipherSuite = _channel.Connection?.TlsDescription?.CipherSuite.ToString(),
            IsTlsFirst = _tls is { WasFirst: true },
        };
    }
}
