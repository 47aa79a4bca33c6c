using System.Net;
using System.Text;
using Broker.Server.Tests.Harness;

namespace Broker.Server.Tests.Oracle;

/// <summary>
/// What some clients say, step by step. A step begins with the client's letter: <c>A text</c> sends the text as a line and
/// waits for the answer to a PING behind it, <c>{reply}</c> being the last reply subject of a server's making that it heard; <c>A~text</c> sends the bytes as they are and waits for nothing.
/// </summary>
/// <param name="Name">What the case is about.</param>
/// <param name="Steps">The steps.</param>
internal sealed record OracleCase(string Name, params string[] Steps)
{
    private const string Ping = "PING\r\n";

    private static string LastReply(StringBuilder heard)
    {
        string text = heard.ToString();
        int at = text.LastIndexOf("_R_.", StringComparison.Ordinal);
        return at < 0 ? "" : text[at..].Split(' ')[0];
    }

    /// <summary>Plays the steps and returns what each client was sent, without INFO.</summary>
    internal string Play(EndPoint server)
    {
        var clients = new SortedDictionary<char, (RawClient Client, StringBuilder Heard)>();
        try
        {
            foreach (string step in Steps)
            {
                if (!clients.TryGetValue(step[0], out (RawClient Client, StringBuilder Heard) by))
                {
                    by = (new RawClient(server), new StringBuilder());
                    clients.Add(step[0], by);
                    by.Client.ReadLine();
                }

                if (step[1] == '~')
                {
                    by.Client.SendWhatGoes(step[2..]);
                }
                else
                {
                    if (step.Contains("{reply}", StringComparison.Ordinal))
                    {
                        by.Heard.Append(by.Client.Sync());
                    }

                    by.Client.SendWhatGoes(step[2..].Replace("{reply}", LastReply(by.Heard), StringComparison.Ordinal) + "\r\n");
                    by.Heard.Append(by.Client.Sync());
                }
            }

            var all = new StringBuilder();
            foreach ((char name, (RawClient client, StringBuilder heard)) in clients)
            {
                heard.Append(client.Sync());
                client.SendWhatGoes("PING\r\n");
                string last = client.ReadLine();
                while (last == Ping)
                {
                    last = client.ReadLine();
                }

                all.Append(name).Append(": ").Append(heard).Append(last.Length == 0 ? "<closed>" : "<open>").Append('\n');
            }

            // A server's own PINGs come by the clock: on a busy machine between the steps.
            return all.Replace(Ping, "").ToString();
        }
        finally
        {
            foreach ((RawClient client, _) in clients.Values)
            {
                client.Dispose();
            }
        }
    }
}
