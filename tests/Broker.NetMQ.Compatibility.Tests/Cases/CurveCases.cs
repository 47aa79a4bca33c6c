using NetMQ;
using NetMQ.Sockets;

namespace Broker.NetMQCases;

internal static class CurveCases
{
    public static void A_certificate_has_both_forms_of_its_keys(Transcript t)
    {
        var all = NetMQCertificate.CreateFromSecretKey(Key(1));
        t.Show("keys", $"{all.PublicKeyZ85} {all.SecretKeyZ85} {all.HasSecretKey}");
        t.Show("public", all.PublicKey);
        t.Show("secret", all.SecretKey);
        t.Show("from text", NetMQCertificate.CreateFromSecretKey(all.SecretKeyZ85!).PublicKeyZ85);
        t.Show("pair", new NetMQCertificate(Key(1), Key(3)).PublicKeyZ85);
        t.Show("pair of texts", new NetMQCertificate(all.SecretKeyZ85!, all.PublicKeyZ85).SecretKey);
        var known = NetMQCertificate.FromPublicKey(all.PublicKeyZ85);
        t.Show("known", $"{known.HasSecretKey} {known.SecretKey is null} {known.SecretKeyZ85 is null} {known.PublicKeyZ85}");
        t.Show("known bytes", NetMQCertificate.FromPublicKey(all.PublicKey).PublicKeyZ85);
#pragma warning disable CS0618 // Old programs call these methods.
        t.Show("old", known.FromSecretKey(Key(1)).PublicKeyZ85);
        t.Show("old text", known.FromSecretKey(all.SecretKeyZ85!).PublicKeyZ85);
#pragma warning restore CS0618
        var made = new NetMQCertificate();
        t.Show("made", $"{made.HasSecretKey} {made.PublicKey.Length} {made.SecretKeyZ85!.Length}");
        t.Show("agrees", NetMQCertificate.CreateFromSecretKey(made.SecretKey!).PublicKeyZ85 == made.PublicKeyZ85);
    }

    public static void A_certificate_refuses_keys_of_a_wrong_form(Transcript t)
    {
        byte[] small = new byte[31];
        string text = new NetMQCertificate().PublicKeyZ85;
        t.Try("secret", () => new NetMQCertificate(small, Key(1)));
        t.Try("public", () => new NetMQCertificate(Key(1), small));
        t.Try("secret text", () => new NetMQCertificate("abc", text));
        t.Try("public text", () => new NetMQCertificate(text, "abc"));
        t.Try("from secret", () => NetMQCertificate.CreateFromSecretKey(small));
        t.Try("from secret text", () => NetMQCertificate.CreateFromSecretKey("abc"));
        t.Try("from public", () => NetMQCertificate.FromPublicKey(small));
        t.Try("from public text", () => NetMQCertificate.FromPublicKey("abc"));
        t.Try("no digit", () => NetMQCertificate.FromPublicKey(new string('~', 40)));
        t.Try("too large", () => NetMQCertificate.FromPublicKey(new string('#', 40)));
    }

    public static void Options_keep_the_keys(Transcript t)
    {
        using var dealer = new DealerSocket();
        SocketOptions o = dealer.Options;
        var all = NetMQCertificate.CreateFromSecretKey(Key(1));
        var known = NetMQCertificate.FromPublicKey(all.PublicKey);
        t.Show("defaults", $"{o.CurveServer} {Convert.ToHexString(o.CurveServerKey!)}");
        t.Try("no secret", () => o.CurveCertificate = known);
        t.Try("certificate", () => o.CurveCertificate = all);
        t.Try("server's", () => o.CurveServerCertificate = known);
        t.Show("server's key", o.CurveServerKey);
        t.Try("key", () => o.CurveServerKey = Key(7));
        t.Show("server's key", o.CurveServerKey);
        t.Try("short key", () => o.CurveServerKey = new byte[31]);
        t.Try("server", () => o.CurveServer = true);
        t.Show("server", o.CurveServer);
        t.Try("server", () => o.CurveServer = false);
        t.Show("server", o.CurveServer);
    }

    public static void Encrypted_messages_arrive(Transcript t)
    {
        var keys = new NetMQCertificate();
        using var router = new RouterSocket();
        router.Options.CurveServer = true;
        router.Options.CurveCertificate = keys;
        string address = router.BindTcp();
        using var dealer = new DealerSocket();
        dealer.Options.CurveServerCertificate = NetMQCertificate.FromPublicKey(keys.PublicKey);
        dealer.Options.CurveCertificate = new NetMQCertificate();
        dealer.Connect(address);
        for (int size = 1; size < 1_000_000; size *= 10)
        {
            dealer.SendMoreFrame("a").SendFrame(new byte[size]);
            NetMQMessage? message = null;
            t.Show("arrives", router.TryReceiveMultipartMessage(Ports.Soon, ref message));
            t.Show("frames", $"{message?.FrameCount} {message?.Last.BufferSize}");
            router.SendMultipartMessage(message!);
            t.Show("returns", dealer.TryReceiveMultipartMessage(Ports.Soon, ref message) && message!.Last.BufferSize == size);
        }
    }

    public static void A_client_with_another_key_of_the_server_gets_nothing(Transcript t)
    {
        using var pull = new PullSocket();
        pull.Options.CurveServer = true;
        pull.Options.CurveCertificate = new NetMQCertificate();
        string address = pull.BindTcp();
        using var stranger = new PushSocket();
        stranger.Options.CurveServerKey = new NetMQCertificate().PublicKey;
        stranger.Options.CurveCertificate = new NetMQCertificate();
        stranger.Connect(address);
        stranger.TrySendFrame(TimeSpan.FromMilliseconds(100), "x");
        t.Show("arrives", pull.TryReceiveFrameString(TimeSpan.FromMilliseconds(300), out _));
    }

    private static byte[] Key(int first) => [.. Enumerable.Range(first, 32).Select(value => (byte)value)];
}
