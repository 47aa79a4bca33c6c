using System.Buffers;
using System.Buffers.Text;
using System.Net;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;

namespace Broker.Server;

/// <summary>Writes the request to an auth callout service: a JWT that the server signs.</summary>
internal static class CalloutRequest
{
    /// <summary>The header with the server's public key if the request is encrypted.</summary>
    internal const string KeyHeader = "Nats-Server-Xkey";

    private const string Header = """{"typ":"JWT","alg":"ed25519-nkey"}""";
    private const string Audience = "nats-authorization-request";
    private const int IdentityBytes = 32;

    /// <summary>Returns the JWT.</summary>
    /// <param name="options">The options of the callout.</param>
    /// <param name="server">The server.</param>
    /// <param name="user">The public key that the JWT of the user must be for.</param>
    /// <param name="question">The facts about the client.</param>
    internal static byte[] Create(AuthCalloutOptions options, CalloutServer server, string user, CalloutQuestion question)
    {
        var claims = new ArrayBufferWriter<byte>();
        using (var json = new Utf8JsonWriter(claims))
        {
            json.WriteStartObject();
            long now = server.Time.GetUtcNow().ToUnixTimeSeconds();
            json.WriteString("aud", Audience);
            json.WriteNumber("exp", now + Math.Max(1, (long)Math.Ceiling(question.Timeout.TotalSeconds)));
            json.WriteNumber("iat", now);
            json.WriteString("iss", server.Keys.PublicKey);
            json.WriteString("jti", RandomNumberGenerator.GetHexString(IdentityBytes));
            json.WriteString("sub", options.Issuer);
            json.WriteStartObject("nats");
            WriteServer(json, server, options);
            json.WriteString("user_nkey", user);
            WriteClient(json, question);
            WriteConnect(json, question);
            WriteTls(json, question);
            json.WriteString("type", "authorization_request");
            json.WriteNumber("version", 2);
            json.WriteEndObject();
            json.WriteEndObject();
        }

        string text = Base64Url.EncodeToString(Encoding.ASCII.GetBytes(Header)) + "." + Base64Url.EncodeToString(claims.WrittenSpan);
        return Encoding.ASCII.GetBytes(text + "." + Base64Url.EncodeToString(server.Keys.Sign(Encoding.ASCII.GetBytes(text))));
    }

    private static void WriteServer(Utf8JsonWriter json, CalloutServer server, AuthCalloutOptions options)
    {
        json.WriteStartObject("server_id");
        json.WriteString("name", server.Name);
        json.WriteString("host", server.Host);
        json.WriteString("id", server.Keys.PublicKey);
        json.WriteString("version", server.Version);
        if (options.CurveKey is not null)
        {
            json.WriteString("xkey", server.Keys.CurveKey);
        }

        json.WriteEndObject();
    }

    private static void WriteClient(Utf8JsonWriter json, CalloutQuestion question)
    {
        Credentials shown = question.Credentials;
        json.WriteStartObject("client_info");
        Write(json, "host", (question.From as IPEndPoint)?.Address.ToString());
        json.WriteNumber("id", question.ClientId);
        Write(json, "user", !string.IsNullOrEmpty(shown.User) ? shown.User : !string.IsNullOrEmpty(shown.Key) ? shown.Key : null);
        Write(json, "name", question.ClientName);
        json.WriteString("kind", "Client");
        json.WriteString("type", question.Transport == ClientTransport.WebSocket ? "websocket" : "nats");
        if (!string.IsNullOrEmpty(shown.Signature))
        {
            Write(json, "nonce", question.Nonce);
        }

        json.WriteEndObject();
    }

    private static void WriteConnect(Utf8JsonWriter json, CalloutQuestion question)
    {
        Credentials shown = question.Credentials;
        json.WriteStartObject("connect_opts");
        Write(json, "jwt", shown.Jwt);
        Write(json, "nkey", shown.Key);
        Write(json, "sig", shown.Signature);
        Write(json, "auth_token", shown.Token);
        Write(json, "user", shown.User);
        Write(json, "pass", shown.Password);
        Write(json, "name", question.ClientName);
        Write(json, "lang", question.Language);
        Write(json, "version", question.Version);
        json.WriteNumber("protocol", question.ProtocolLevel);
        json.WriteEndObject();
    }

    private static void WriteTls(Utf8JsonWriter json, CalloutQuestion question)
    {
        if (question.Certificate is not { } certificate)
        {
            return;
        }

        json.WriteStartObject("client_tls");
        json.WriteStartArray("verified_chains");
        json.WriteStartArray();
        json.WriteStringValue(certificate.ExportCertificatePem() + "\n");
        json.WriteEndArray();
        json.WriteEndArray();
        json.WriteEndObject();
    }

    private static void Write(Utf8JsonWriter json, string name, string? value)
    {
        if (!string.IsNullOrEmpty(value))
        {
            json.WriteString(name, value);
        }
    }
}
