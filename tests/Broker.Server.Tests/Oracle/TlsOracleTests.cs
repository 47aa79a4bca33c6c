using System.Net;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using System.Text.Json;
using Broker.Server.Tests.Harness;

namespace Broker.Server.Tests.Oracle;

/// <summary>
/// Compares TLS with the real nats-server: INFO, accepted clients and their users, and refused clients.
/// </summary>
public sealed class TlsOracleTests
{
    private static readonly TestCertificates Common = TestCertificates.Common;
    private static readonly ServerTlsOptions Verifying = TlsOracle.Options with { ClientCertificates = ClientCertificateMode.Required };

    private static readonly Dictionary<string, X509Certificate2?> Certificates = new(StringComparer.Ordinal)
    {
        ["none"] = null,
        ["email"] = Common.SignClient("CN=e", n => n.AddEmailAddress("derek@example.org")),
        ["two emails"] = Common.SignClient("CN=e2", n =>
        {
            n.AddEmailAddress("nobody@example.org");
            n.AddEmailAddress("derek@example.org");
        }),
        ["dns"] = Common.SignClient("CN=d", n => n.AddDnsName("app.example.org")),
        ["uri"] = Common.SignClient("CN=u", n => n.AddUri(new Uri("spiffe://example.org/app"))),
        ["subject"] = Common.SignClient("CN=svc, OU=NATS, O=Org"),
        ["subject of a domain"] = Common.SignClient("CN=svc, OU=NATS, O=Org, DC=example, DC=org"),
        ["for servers"] = Common.SignWithUsage("CN=z", asServer: true),
        ["of a stranger"] = new TestCertificates().SignClient("CN=svc, OU=NATS, O=Org"),
    };

    // The cases in which this server replies differently, with the reason.
    private static readonly Dictionary<(string Kind, string Certificate), (string Theirs, string Ours)> Differences = new()
    {
        // nats-server compares the number of parts and whether each part occurs: it accepts O=Org twice for O=Org and
        // OU=NATS.
        [("a part twice", "subject")] = ("PONG", "-ERR 'Authorization Violation'"),
    };

    public static TheoryData<string> Cases => [.. Kinds.Keys];

    private static Dictionary<string, (string Config, Action<BrokerServerOptions> Configure)> Kinds { get; } = new(StringComparer.Ordinal)
    {
        ["required"] = ("tls { FILES }", o => o.Tls = TlsOracle.Options),
        ["allowed"] = ("allow_non_tls: true\ntls { FILES }", o => o.Tls = TlsOracle.Options with { AllowNonTls = true }),
        ["verified"] = ("tls { FILES\nverify: true }", o => o.Tls = Verifying),
        ["mapped by other names"] = Mapped("derek@example.org", "app.example.org", "spiffe://example.org/app"),
        ["mapped by the subject"] = Mapped("CN=svc,OU=NATS,O=Org", "CN=d", "cn = u"),
        ["mapped by the subject in another order"] = Mapped("O=Org,OU=NATS,CN=svc,DC=org,DC=example"),
        ["mapped in other letters"] = Mapped("CN=SVC,OU=NATS,O=Org", "DEREK@example.org", "App.example.org"),
        ["mapped by less"] = Mapped("CN=svc", "OU=NATS,O=Org", "svc", "example.org"),
        ["a part twice"] = Mapped("CN=svc,O=Org,O=Org"),
        ["mapped to nobody"] = ("tls { FILES\nverify_and_map: true }", o => o.Tls = Verifying with { MapUsers = true }),
    };

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task TLS_clients_have_the_same_outcome_as_with_nats_server(string kind)
    {
        await using var pair = new TlsOracle(Kinds[kind].Config, Kinds[kind].Configure);
        await pair.InitializeAsync();
        EndPoint there = pair.RequireTheirs();
        foreach ((string name, X509Certificate2? certificate) in Certificates)
        {
            string theirs = $"{name}: {Try(there, certificate)}";
            string ours = $"{name}: {Try(pair.Ours, certificate)}";
            if (Differences.TryGetValue((kind, name), out (string Theirs, string Ours) expected))
            {
                // INFO is equal.
                Assert.EndsWith(expected.Theirs, theirs, StringComparison.Ordinal);
                Assert.EndsWith(expected.Ours, ours, StringComparison.Ordinal);
                Assert.Equal(theirs[..^expected.Theirs.Length], ours[..^expected.Ours.Length]);
            }
            else
            {
                Assert.Equal(theirs, ours);
            }
        }
    }

    [Theory]
    [InlineData("required", "CONNECT {\"verbose\":false}\r\nPING\r\n")]
    [InlineData("required", "")]
    [InlineData("required", "\u0016\u0003")]
    [InlineData("allowed", "CONNECT {\"verbose\":false}\r\nPING\r\n")]
    [InlineData("allowed", "PING\r\nPING\r\n")]
    [InlineData("allowed", "\u0016\u0003")]
    [InlineData("verified", "CONNECT {\"verbose\":false}\r\nPING\r\n")]
    [InlineData("mapped by the subject", "CONNECT {\"verbose\":false}\r\nPING\r\n")]
    public async Task Plain_text_has_the_same_outcome_as_with_nats_server(string kind, string said)
    {
        await using var pair = new TlsOracle(Kinds[kind].Config, Kinds[kind].Configure);
        await pair.InitializeAsync();
        Assert.Equal(Say(pair.RequireTheirs(), said), Say(pair.Ours, said));
    }

    [Fact]
    public void Every_documented_difference_belongs_to_a_case()
        => Assert.All(Differences.Keys, d => Assert.True(Kinds.ContainsKey(d.Kind) && Certificates.ContainsKey(d.Certificate)));

    private static (string Config, Action<BrokerServerOptions> Configure) Mapped(params string[] users)
        => ($"authorization {{ users: [ {string.Join(", ", users.Select(u => $"{{ user: \"{u}\" }}"))} ] }}\ntls {{ FILES\nverify_and_map: true }}", o =>
        {
            o.Tls = Verifying with { MapUsers = true };
            o.Users = [.. users.Select(u => User.WithCertificate(u))];
        }
    );

    private static string Try(EndPoint server, X509Certificate2? certificate)
    {
        string heard;
        string info = "";
        try
        {
            using var client = TlsClient.Open(server, certificate);
            info = OfInfo(client.Info);
            heard = client.Connect().TrimEnd();
        }
        catch (Exception e) when (e is IOException or AuthenticationException)
        {
            heard = "";
        }

        return info + heard;
    }

    private static string Say(EndPoint server, string said)
    {
        using var client = new RawClient(server);
        string info = OfInfo(client.ReadLine());
        client.SendWhatGoes(said);
        client.Socket.Shutdown(System.Net.Sockets.SocketShutdown.Send);
        // Bytes that are not text are a TLS alert. The two TLS libraries send different alerts.
        return info + new string([.. client.ReadToEnd().TakeWhile(c => c is >= ' ' or '\r' or '\n')]);
    }

    private static string OfInfo(string line)
    {
        var text = new StringBuilder();
        using var info = JsonDocument.Parse(line[5..]);
        foreach (string field in new[] { "auth_required", "tls_required", "tls_verify", "tls_available" })
        {
            text.Append(field).Append('=').Append(info.RootElement.TryGetProperty(field, out JsonElement value) ? value.ToString() : "-").Append(' ');
        }

        return text.ToString();
    }
}
