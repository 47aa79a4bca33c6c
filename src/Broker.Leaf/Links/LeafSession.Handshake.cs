using System.Buffers.Text;
using System.Text;
using System.Text.Json;
using Broker.Transport;

namespace Broker.Leaf;

// INFO, TLS, CONNECT and the remote's answer. TLS starts after INFO, or before it. Bytes that the remote or an attacker
// sends unencrypted after INFO become part of the TLS handshake and make it fail.
internal sealed partial class LeafSession
{
    private bool IsSecured => Connection!.TlsDescription is not null || address.WebSocketUri is not null;

    private void BeginHandshake()
    {
        if (!Tls.IsHandshakeFirst || address.WebSocketUri is not null)
        {
            StartTimer(link.Remote.FirstInfoTimeout);
            return;
        }

        StartTls(() => StartTimer(link.Remote.FirstInfoTimeout));
    }

    private void StartTls(Action onSecured)
    {
        StopTimer();
        _tlsHandshakeRuns = true;
        Connection!.StartTls(Tls.CreateAuthentication(address.TlsHost), link.Remote.TlsTimeout, _ =>
        {
            _tlsHandshakeRuns = false;
            onSecured();
        });
    }

    protected override bool ReceiveInfo(ReadOnlySpan<byte> json)
    {
        HubInfo? info = null;
        try
        {
            info = JsonSerializer.Deserialize(json, HandshakeJson.Default.HubInfo);
        }
        catch (JsonException)
        {
            // The code below reports this error, and also a JSON "null".
        }

        if (info is null)
        {
            Fail("the remote's INFO cannot be read");
            return false;
        }

        if (_phase == Phase.AwaitingInfo)
        {
            return ReceiveFirstInfo(info);
        }

        Discover(info);
        return _phase != Phase.AwaitingAnswer || !info.ConnectInfo || ReceiveAnswer(info);
    }

    private bool ReceiveFirstInfo(HubInfo info)
    {
        if (info.ClientId == 0 || info.LeafNodeUrls is null)
        {
            Fail("the port is not a leaf node port");
            return false;
        }

        _info = info;
        if (IsSecured)
        {
            Discover(info);
            return SendConnect();
        }

        if (info.TlsRequired)
        {
            StartTls(() => SendConnect());
            return false;
        }

        if (Tls.IsRequired || address.IsTls)
        {
            Fail("the remote does not offer TLS, which is required");
            return false;
        }

        Discover(info);
        return SendConnect();
    }

    // An INFO that came before TLS is not used for this: an attacker may have changed it.
    private void Discover(HubInfo info)
    {
        string[]? listed = address.WebSocketUri is null ? info.LeafNodeUrls : info.WebSocketUrls;
        if (listed is not null && !link.Remote.IgnoreDiscoveredServers)
        {
            link.Addresses.Discover(address, listed);
        }
    }

    // Nothing may be sent before CONNECT: some versions of nats-server crash then.
    private bool SendConnect()
    {
        string? signature = null;
        if (_credentials is { } credentials)
        {
            if (string.IsNullOrEmpty(_info.Nonce))
            {
                Fail("the remote has no nonce to sign: it does not accept keys");
                return false;
            }

            byte[] signed = credentials.Sign(Encoding.UTF8.GetBytes(_info.Nonce));
            signature = Base64Url.EncodeToString(signed);
        }

        LoopWriteBuffer buffer = Connection!.GetWriteBuffer(Connection.Loop);
        buffer.Write("CONNECT "u8);
        buffer.Write(JsonSerializer.SerializeToUtf8Bytes(
            link.CreateConnect(address, _credentials, signature), HandshakeJson.Default.ConnectCommand));
        buffer.Write("\r\n"u8);
        _phase = Phase.AwaitingAnswer;
        StartTimer(AnswerTimeout);
        return _info.InfoOnConnect || ReceiveAnswer(_info);
    }

    private bool ReceiveAnswer(HubInfo answer)
    {
        try
        {
            JetStream = FindJetStream();
            Permissions = new LinkPermissions(
                answer, link.Target.IsSystemAccount, JetStream?.RenamedFilters ?? [], link.DenyImports, link.DenyExports);
            link.Target.SetPermissions(Permissions.Target);
        }
        catch (ArgumentException e)
        {
            Fail($"the remote's permissions cannot be used: {e.Message}");
            return false;
        }

        _phase = Phase.Ready;
        StartTimer(link.PingInterval);
        link.OnReady(this, _info, answer.MaxPayload > 0 ? answer.MaxPayload : _info.MaxPayload);
        return true;
    }

    private JetStreamMapping? FindJetStream()
    {
        if (link.Target.IsSystemAccount || link.HasStreams || link.Remote.JetStreamDomain is "")
        {
            return null;
        }

        string? domain = link.Remote.JetStreamDomain ?? (link.MapsJetStream && _info.JetStream ? _info.Domain ?? "" : null);
        return domain is null ? null : new JetStreamMapping(domain);
    }

    private string ExplainEnd(CloseReason reason, Exception? error)
    {
        if (_tlsHandshakeRuns && error is not null)
        {
            return $"TLS failed: {error.GetBaseException().Message}";
        }

        // With TLS 1.3 a remote rejects the certificate after this side has completed its handshake.
        if (_phase == Phase.AwaitingAnswer && IsSecured && _info.TlsVerify && reason is CloseReason.Peer or CloseReason.Error)
        {
            return "TLS failed: the remote requires a client certificate and has accepted none";
        }

        return LinkEnds.Explain(reason, error);
    }
}
