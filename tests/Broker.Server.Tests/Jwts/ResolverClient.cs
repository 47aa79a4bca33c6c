using System.Globalization;
using System.Net;
using System.Text;
using System.Text.Json;
using Broker.Server.Tests.Harness;

namespace Broker.Server.Tests.Jwts;

/// <summary>A user of an account who sends requests.</summary>
internal sealed class ResolverClient : IDisposable
{
    private int _requests;

    internal ResolverClient(EndPoint server, string jwt, JwtKey user, string more = "")
    {
        Raw = new RawClient(server);
        using var info = JsonDocument.Parse(Raw.ReadLine()["INFO ".Length..]);
        string connect = JwtSite.Connect(jwt, user, info.RootElement.GetProperty("nonce").GetString()!);
        Raw.SendWhatGoes(connect.Replace("\"protocol\":1", "\"protocol\":1,\"headers\":true,\"no_responders\":true" + more, StringComparison.Ordinal));
    }

    internal RawClient Raw { get; }

    /// <summary>Everything that the server sends until it closes the connection, without INFO and PING.</summary>
    internal string End() => Without(Raw.ReadToEnd());

    /// <summary>Everything until the next PONG, without INFO and PING.</summary>
    internal string Sync() => Without(Raw.Sync());

    /// <summary>Sends a request and returns the answer without what differs between two servers.</summary>
    internal string Request(string subject, string body = "") => Normal(RequestBytes(subject, Encoding.ASCII.GetBytes(body)));

    /// <summary>Sends a request and returns the body of the first answer; null for "no responders".</summary>
    internal byte[]? RequestBytes(string subject, byte[] body)
    {
        Ask(subject, body);
        return Next();
    }

    /// <summary>Sends a request and returns the bodies of all answers up to an empty one.</summary>
    internal IReadOnlyList<string> RequestMany(string subject, byte[] body)
    {
        Ask(subject, body);
        var all = new List<string>();
        while (Next() is { Length: > 0 } next)
        {
            all.Add(Encoding.ASCII.GetString(next));
        }

        return all;
    }

    public void Dispose() => Raw.Dispose();

    private void Ask(string subject, byte[] body)
    {
        string reply = string.Create(CultureInfo.InvariantCulture, $"reply.{++_requests}");
        Raw.Send(string.Create(CultureInfo.InvariantCulture, $"SUB {reply} {1000 + _requests}\r\nPUB {subject} {reply} {body.Length}\r\n"));
        Raw.Send([.. body, 13, 10]);
    }

    private byte[]? Next()
    {
        while (true)
        {
            string[] words = Raw.ReadLine().TrimEnd().Split(' ');
            if (words[0] is not ("MSG" or "HMSG"))
            {
                Assert.True(words[0] is "INFO" or "PING" or "PONG", $"the server sends {words[0]}");
                continue;
            }

            byte[] payload = Raw.ReadBytes(int.Parse(words[^1], CultureInfo.InvariantCulture) + 2)[..^2];
            if (words[1].StartsWith("reply.", StringComparison.Ordinal))
            {
                return words[0] == "HMSG" ? null : payload;
            }
        }
    }

    private static string Without(string heard)
        => string.Join('\n', heard.Split("\r\n").Where(static line => !line.StartsWith("INFO ", StringComparison.Ordinal) && line is not "PING"));

    private static string Normal(byte[]? answer)
    {
        if (answer is null)
        {
            return "no responders";
        }

        if (answer is not [(byte)'{', ..])
        {
            return Encoding.ASCII.GetString(answer);
        }

        using var json = JsonDocument.Parse(answer);
        return json.RootElement.TryGetProperty("error", out JsonElement error) ? "error " + error.GetRawText()
            : json.RootElement.GetProperty("data") is { ValueKind: JsonValueKind.Array } list
                ? "list " + string.Join(',', list.EnumerateArray().Select(static a => a.GetString()).Order(StringComparer.Ordinal))
                : "data " + json.RootElement.GetProperty("data").GetRawText();
    }
}
