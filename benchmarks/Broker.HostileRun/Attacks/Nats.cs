using System.Globalization;
using System.Text;

namespace Broker.HostileRun.Attacks;

/// <summary>Lines of the NATS protocol.</summary>
internal static class Nats
{
    public static string Connect(string user, string password)
        => $$"""CONNECT {"verbose":false,"pedantic":false,"headers":true,"user":"{{user}}","pass":"{{password}}"}""" + "\r\n";

    public static string Publish(string subject, int size) => string.Create(CultureInfo.InvariantCulture, $"PUB {subject} {size}\r\n{new string('x', size)}\r\n");

    public static string PublishHeaders(string subject, string headers, string body)
    {
        string block = $"NATS/1.0\r\n{headers}\r\n\r\n";
        return string.Create(CultureInfo.InvariantCulture, $"HPUB {subject} {block.Length} {block.Length + body.Length}\r\n{block}{body}\r\n");
    }

    /// <summary>
    /// All filters that match a subject with this prefix and number of tokens "a", by "a" or "*" for each token.
    /// </summary>
    public static byte[] SubscribeToAllFilters(string prefix, int tokens, int firstSid)
    {
        var text = new StringBuilder();
        for (int i = 0; i < 1 << tokens; i++)
        {
            text.Append("SUB ").Append(prefix);
            for (int token = 0; token < tokens; token++)
            {
                text.Append((i >> token & 1) == 0 ? ".a" : ".*");
            }

            text.Append(' ').Append(firstSid + i).Append("\r\n");
        }

        return Encoding.ASCII.GetBytes(text.ToString());
    }

    /// <summary>The subject that all these filters match.</summary>
    public static string SubjectOfAllFilters(string prefix, int tokens) => prefix + string.Concat(Enumerable.Repeat(".a", tokens));
}
