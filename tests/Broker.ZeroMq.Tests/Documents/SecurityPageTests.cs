using Broker.Cryptography;
using Broker.ZeroMq.Loops;
using Broker.ZeroMq.Tests.Mechanisms;
using Broker.ZeroMq.Tests.Sockets;

#pragma warning disable IDE0007, IDE0008, IDE1006 // The code is the same as on the page.

namespace Broker.ZeroMq.Tests.Documents;

/// <summary>Compiles and runs the code of docs/zeromq-security.md.</summary>
public sealed class SecurityPageTests
{
    [Fact]
    public void All_code_of_the_page_is_in_this_file() => Assert.Equal(Page.CodeOf("zeromq-security.md"), Page.ShownIn("SecurityPageTests.cs"));

    [Fact]
    public async Task The_server_of_CURVE_of_the_page_admits_clients_that_it_knows()
    {
        var known = new Dictionary<CurveKey, string> { [Curve.ClientKeys.PublicKey] = "alice" };
        var folder = Directory.CreateTempSubdirectory("zmq");
        await System.IO.File.WriteAllTextAsync(
            Path.Combine(folder.FullName, "server.secret"), Curve.ServerKeys.ExportSecretKey(), TestContext.Current.CancellationToken);
        var File = new Folder(folder.FullName);

        // shown:
        var cryptography = new CurveCryptography();
        var serverKeys = CurveKeyPair.Parse(cryptography, File.ReadAllText("server.secret"));   // 40 characters of Z85
        var options = new LoopPublisherOptions
        {
            Security = ZeroMqSecurity.CurveServer(serverKeys),
            Authenticate = shown => ValueTask.FromResult(
                known.TryGetValue(shown.PublicKey!, out string? user) ? ZeroMqAdmission.Admit(user) : ZeroMqAdmission.Refuse("unknown key")),
        };
        // end
        folder.Delete(recursive: true);
        await using var rig = new Rig();
        var publisher = rig.Publisher(o => options with { OnEvent = o.OnEvent, OnInterest = o.OnInterest });
        var subscriber = rig.Subscriber(o => o with { Security = Curve.Client, OnEvent = null });
        subscriber.Subscribe([]);
        subscriber.Connect(publisher.Bind("tcp://127.0.0.1:*").ToString());
        await rig.InterestAsync("+");
        Assert.Equal("alice", Assert.Single(publisher.Peers).UserId);
        var stranger = rig.Subscriber(o => o with
        {
            Security = ZeroMqSecurity.CurveClient(CurveKeyPair.Generate(cryptography), serverKeys.PublicKey),
            OnEvent = null,
        });
        stranger.Connect(publisher.LastEndpoint!.ToString());
        Assert.Contains(
            "unknown key",
            (await rig.Events.TakeAsync(e => e.Kind == ZeroMqEventKind.PeerRefused)).Reason,
            StringComparison.Ordinal);
    }

    private sealed class Folder(string path)
    {
        public string ReadAllText(string name) => File.ReadAllText(Path.Combine(path, name));
    }
}
