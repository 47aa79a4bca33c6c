using System.Net;
using System.Text;
using Broker.Server.Tests.Harness;

namespace Broker.Server.Tests.Oracle;

/// <summary>
/// The operations of some clients in steps. A step begins with the client's letter. <c>A text</c> sends the text as a
/// line and waits for the reply to a PING after it; <c>{reply}</c> is the last reply subject that the server created
/// and the client received. <c>A~text</c> sends the bytes unchanged and does not wait.
/// </summary>
/// <param name="Name">The name of the case.</param>
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

    /// <summary>Runs the steps and returns what each client received, without INFO.</summary>
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

            // Remove the server's own PINGs: on a busy machine a timer may send them between the steps.
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
