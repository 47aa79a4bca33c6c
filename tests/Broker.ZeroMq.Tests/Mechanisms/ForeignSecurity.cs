using System.Text.Json.Nodes;
using Broker.ZeroMq.Mechanisms;

namespace Broker.ZeroMq.Tests.Mechanisms;

/// <summary>PLAIN and CURVE as options of a foreign socket.</summary>
internal static class ForeignSecurity
{
    /// <summary>The user whom the server of PLAIN should know.</summary>
    public static (string User, string Password) Alice => ("alice", "pw1");

    public static (string Name, JsonNode Value)[] CurveServer => [("CURVE_SERVER", 1), ("CURVE_SECRETKEY", Curve.ServerKeys.ExportSecretKey())];

    public static (string Name, JsonNode Value)[] CurveClient(CurveKey server) =>
    [
        ("CURVE_SERVERKEY", server.ToString()),
        ("CURVE_PUBLICKEY", Curve.ClientKeys.PublicKey.ToString()),
        ("CURVE_SECRETKEY", Curve.ClientKeys.ExportSecretKey()),
    ];

    /// <summary>The domain makes libzmq ask whom it should know.</summary>
    public static (string Name, JsonNode Value)[] Server(string mechanism) =>
        mechanism == "PLAIN" ? [("PLAIN_SERVER", 1), ("ZAP_DOMAIN", "test")] : CurveServer;

    public static (string Name, JsonNode Value)[] Client(string mechanism) =>
        mechanism switch { "PLAIN" => PlainClient(Alice.Password), "CURVE" => CurveClient(Curve.ServerKeys.PublicKey), _ => [] };

    /// <summary>Somebody with a wrong password, or with the key of another server.</summary>
    public static (string Name, JsonNode Value)[] Intruder(string mechanism) =>
        mechanism == "PLAIN" ? PlainClient("pw2") : CurveClient(Curve.ClientKeys.PublicKey);

    private static (string Name, JsonNode Value)[] PlainClient(string password) => [("PLAIN_USERNAME", Alice.User), ("PLAIN_PASSWORD", password)];
}
