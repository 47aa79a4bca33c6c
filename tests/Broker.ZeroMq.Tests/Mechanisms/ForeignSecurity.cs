using System.Text.Json.Nodes;

namespace Broker.ZeroMq.Tests.Mechanisms;

/// <summary>The options of a foreign socket for PLAIN and CURVE.</summary>
internal static class ForeignSecurity
{
    /// <summary>The user that the PLAIN server must know.</summary>
    public static (string User, string Password) Alice => ("alice", "pw1");

    public static (string Name, JsonNode Value)[] CurveServer => [("CURVE_SERVER", 1), ("CURVE_SECRETKEY", Curve.ServerKeys.ExportSecretKey())];

    public static (string Name, JsonNode Value)[] CurveClient(CurveKey server) =>
    [
        ("CURVE_SERVERKEY", server.ToString()),
        ("CURVE_PUBLICKEY", Curve.ClientKeys.PublicKey.ToString()),
        ("CURVE_SECRETKEY", Curve.ClientKeys.ExportSecretKey()),
    ];

    /// <summary>Returns the options of a server. The domain makes libzmq send a ZAP request.</summary>
    public static (string Name, JsonNode Value)[] Server(string mechanism)
        => mechanism == "PLAIN" ? [("PLAIN_SERVER", 1), ("ZAP_DOMAIN", "test")] : CurveServer;

    public static (string Name, JsonNode Value)[] Client(string mechanism)
        => mechanism switch { "PLAIN" => PlainClient(Alice.Password), "CURVE" => CurveClient(Curve.ServerKeys.PublicKey), _ => [] };

    /// <summary>Returns the options of a client with a wrong password, or with the key of another server.</summary>
    public static (string Name, JsonNode Value)[] Intruder(string mechanism)
        => mechanism == "PLAIN" ? PlainClient("pw2") : CurveClient(Curve.ClientKeys.PublicKey);

    private static (string Name, JsonNode Value)[] PlainClient(string password) => [("PLAIN_USERNAME", Alice.User), ("PLAIN_PASSWORD", password)];
}
