using System.Text.Json;
using Broker.Cryptography;
using Broker.ZeroMq;

namespace Broker.HostileRun.Site;

/// <summary>The folder with the configuration of the broker under attack. It is deleted with this object.</summary>
internal sealed class SiteFiles : IDisposable
{
    // The hash of a password that nobody sends. The cost is low: a guess takes milliseconds and not the whole machine.
    private const string Hash = "$2a$08$LplNGODGjLPzW8CfYqW5Z.RcsdXZHAjAzQzXyNTl9TVnxMzJuZhSS";

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("broker-hostile-run-");

    public SiteFiles()
    {
        var keys = CurveKeyPair.Generate(new CurveCryptography());
        Endpoints = Endpoints.Choose(keys.PublicKey.ToString());
        File.WriteAllText(At("secured.key"), keys.ExportSecretKey());
        File.WriteAllText(ConfigurationFile, Configuration());
        File.WriteAllText(EndpointsFile, JsonSerializer.Serialize(Endpoints));
    }

    public Endpoints Endpoints { get; }

    public string ConfigurationFile => At("broker.conf");

    public string LogFile => At("broker.log");

    /// <summary>The file that tells the attackers' process the <see cref="Endpoints"/>.</summary>
    public string EndpointsFile => At("endpoints.json");

    public static Endpoints ReadEndpoints(string file) => JsonSerializer.Deserialize<Endpoints>(File.ReadAllText(file))!;

    public void Dispose() => _folder.Delete(recursive: true);

    private string At(string name) => Path.Combine(_folder.FullName, name);

    // Everything else has its default, because the defaults are under attack too.
    private string Configuration() => $$"""
        listen: "127.0.0.1:{{Endpoints.Nats}}"
        http: "127.0.0.1:{{Endpoints.Monitoring}}"
        websocket { listen: "127.0.0.1:{{Endpoints.WebSocket}}", no_tls: true }
        log_file: "{{LogFile}}"
        authorization {
          users: [
            { user: {{Names.Honest}}, password: "{{Names.HonestPassword}}" }
            { user: {{Names.Attacker}}, password: "{{Names.AttackerPassword}}" }
            { user: {{Names.Hashed}}, password: "{{Hash}}" }
          ]
        }
        zeromq {
          prefix: {{Names.Prefix}}
          publishers: "bind tcp://127.0.0.1:{{Endpoints.Publishers}}"
          subscribers: "bind tcp://127.0.0.1:{{Endpoints.Subscribers}}"
          routes: [
            { pattern: request, name: requests, endpoint: "bind tcp://127.0.0.1:{{Endpoints.Requests}}", subject: "nobody.answers", time_to_live: "3s" }
            { pattern: pushpull, name: pipeline, subject: {{Names.Pipeline}},
              pushers: "bind tcp://127.0.0.1:{{Endpoints.Pushers}}", pullers: "bind tcp://127.0.0.1:{{Endpoints.Pullers}}" }
            { pattern: pubsub, name: secured, prefix: secured, publishers: "bind tcp://127.0.0.1:{{Endpoints.Secured}}"
              security { mechanism: curve, role: server, secret_key_file: "{{At("secured.key")}}" } }
          ]
        }

        """;
}
