using System.Net;
using System.Text;
using System.Text.Json;
using Broker.Server.Tests.Harness;

namespace Broker.Server.Tests.Jwts;

/// <summary>Some users of an operator and their operations.</summary>
/// <param name="Name">The name of the case.</param>
/// <param name="Connects">The CONNECT of each client, for the nonce that it received.</param>
/// <param name="Steps">Operations, each with the number of its client in front: <c>0 SUB a 1</c>.</param>
internal sealed record OperatorCase(string Name, Func<OperatorServers, string, string>[] Connects, params string[] Steps)
{
    /// <summary>Plays the case and returns what each client received, without INFO.</summary>
    internal string Play(OperatorServers servers, EndPoint server)
    {
        var clients = new List<(RawClient Client, StringBuilder Heard)>();
        try
        {
            foreach (Func<OperatorServers, string, string> connect in Connects)
            {
                var client = new RawClient(server);
                using var info = JsonDocument.Parse(client.ReadLine()["INFO ".Length..]);
                client.SendWhatGoes(connect(servers, info.RootElement.GetProperty("nonce").GetString()!));
                clients.Add((client, new StringBuilder(client.Sync())));
            }

            foreach (string step in Steps)
            {
                (RawClient client, StringBuilder heard) = clients[step[0] - '0'];
                client.SendWhatGoes(step[2..] + "\r\n");
                heard.Append(client.Sync());
            }

            var all = new StringBuilder();
            foreach ((RawClient client, StringBuilder heard) in clients)
            {
                heard.Append(client.Sync());
                client.SendWhatGoes("PING\r\n");
                string last = client.ReadLine();
                all.Append(heard).Append(last.Length == 0 ? "<closed>\n" : "<open>\n");
            }

            // INFO differs in its ids, and only 2.15.1 sends one to each client after CONNECT.
            string[] lines = all.ToString().Split('\n');
            return string.Join('\n', lines.Where(static line => !line.StartsWith("INFO ", StringComparison.Ordinal) && !line.StartsWith("PING", StringComparison.Ordinal)));
        }
        finally
        {
            clients.ForEach(static c => c.Client.Dispose());
        }
    }
}
