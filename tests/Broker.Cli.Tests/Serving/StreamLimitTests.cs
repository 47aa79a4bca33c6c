using System.Text;
using System.Text.Json;
using Broker.Cli.Tests.Starting;
using Broker.Client;

namespace Broker.Cli.Tests.Serving;

/// <summary>
/// Compares the limits of accounts on streams with those of the newest nats-server, by the same file.
/// </summary>
public sealed class StreamLimitTests : IDisposable
{
    // Each step is an account, an operation of the API or a subject to publish to, and a body.
    private static readonly (string User, string Subject, string Body)[] Steps =
    [
        ("a", "$JS.API.INFO", ""),
        ("a", "$JS.API.STREAM.CREATE.S", """{"name":"S","max_bytes":1600}"""),
        ("a", "$JS.API.STREAM.CREATE.S", """{"name":"S","max_bytes":1600,"storage":"memory"}"""),
        ("a", "$JS.API.STREAM.CREATE.S", """{"name":"S","max_consumers":3}"""),
        ("a", "$JS.API.STREAM.CREATE.S", """{"name":"S","max_bytes":1200}"""),
        ("a", "$JS.API.STREAM.CREATE.T", """{"name":"T","max_bytes":1200}"""),
        ("a", "$JS.API.STREAM.CREATE.T", """{"name":"T","max_bytes":800,"discard":"new"}"""),
        ("a", "$JS.API.INFO", ""),
        ("a", "$JS.API.STREAM.CREATE.U", """{"name":"U"}"""),
        ("a", "$JS.API.STREAM.CREATE.S", """{"name":"S","max_bytes":1200}"""),
        ("a", "$JS.API.STREAM.UPDATE.S", """{"name":"S","max_bytes":1300}"""),
        ("a", "$JS.API.STREAM.UPDATE.S", """{"name":"S","max_bytes":1100}"""),
        ("a", "$JS.API.STREAM.UPDATE.S", """{"name":"S","max_bytes":1200}"""),
        ("a", "$JS.API.STREAM.DELETE.T", ""),
        ("a", "$JS.API.STREAM.CREATE.U", """{"name":"U","max_bytes":801}"""),
        ("a", "$JS.API.STREAM.CREATE.U", """{"name":"U"}"""),
        ("a", "U", "1500"),
        ("a", "U", "1500"),
        ("a", "S", "600"),
        ("a", "$JS.API.STREAM.PURGE.U", ""),
        ("a", "U", "1000"),
        ("a", "$JS.API.CONSUMER.DURABLE.CREATE.U.C1", """{"stream_name":"U","config":{"durable_name":"C1","ack_policy":"explicit","max_ack_pending":51}}"""),
        ("a", "$JS.API.CONSUMER.DURABLE.CREATE.U.C1", """{"stream_name":"U","config":{"durable_name":"C1","ack_policy":"explicit"}}"""),
        ("a", "$JS.API.CONSUMER.DURABLE.CREATE.U.C2", """{"stream_name":"U","config":{"durable_name":"C2","ack_policy":"explicit","max_ack_pending":-1}}"""),
        ("a", "$JS.API.CONSUMER.DURABLE.CREATE.U.C3", """{"stream_name":"U","config":{"durable_name":"C3","ack_policy":"explicit"}}"""),
        ("a", "$JS.API.CONSUMER.DURABLE.CREATE.S.C3", """{"stream_name":"S","config":{"durable_name":"C3","ack_policy":"explicit"}}"""),
        ("a", "$JS.API.INFO", ""),
        ("b", "$JS.API.INFO", ""),
        ("b", "$JS.API.STREAM.CREATE.S", """{"name":"S"}"""),
        ("b", "$JS.API.STREAM.CREATE.S", """{"name":"S","max_bytes":100}"""),
        ("b", "$JS.API.STREAM.CREATE.S", """{"name":"S","max_bytes":100,"storage":"memory"}"""),
        ("c", "$JS.API.INFO", ""),
        ("c", "$JS.API.STREAM.CREATE.S", """{"name":"S","max_bytes":11000000}"""),
        ("c", "$JS.API.STREAM.CREATE.S", """{"name":"S","max_bytes":11000000,"storage":"memory"}"""),
        ("c", "$JS.API.STREAM.CREATE.S", """{"name":"S","max_bytes":10000000,"storage":"memory"}"""),
        ("c", "$JS.API.STREAM.CREATE.T", """{"name":"T","max_bytes":10000000,"storage":"memory"}"""),
        ("c", "$JS.API.STREAM.CREATE.T", """{"name":"T","storage":"memory"}"""),
    ];

    private readonly TemporaryFolder _folder = new();

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task The_limits_of_accounts_have_the_answers_of_nats_server()
    {
        string program = NewerNatsServers.Require(NewerNatsServers.Sid);
        string[] theirs;
        using (var server = NatsServer.StartWithConfiguration(FileOf("theirs"), program, []))
        {
            theirs = await AnswersAsync(server.Url);
        }

        string[] ours = [];
        string file = _folder.Write("broker.conf", "port: -1\n" + FileOf("ours"));
        await RealRun.WhileServingAsync(
            async addresses =>
            {
                ours = await AnswersAsync(addresses.Nats[0]);
                using var http = new HttpClient { BaseAddress = new Uri(addresses.Monitoring.Single() + "/"), Timeout = Wait.Limit };
                using var page = JsonDocument.Parse(await http.GetStringAsync(new Uri("jsz?accounts=true", UriKind.Relative), Ended));
                JsonElement account = page.RootElement.GetProperty("account_details")[0];
                Assert.Equal((1048576, 2000), (account.GetProperty("reserved_memory").GetInt64(), account.GetProperty("reserved_storage").GetInt64()));
                Assert.Equal(1200, page.RootElement.GetProperty("reserved_storage").GetInt64());
            },
            "serve", "-q", "-m", "-1", "-c", file);

        Assert.Equal(theirs, ours);
        Assert.Contains(theirs, static line => line.Contains("10002", StringComparison.Ordinal));
    }

    private static async Task<string[]> AnswersAsync(string url)
    {
        var connections = new Dictionary<string, BrokerConnection>(StringComparer.Ordinal);
        var answers = new List<string>();
        try
        {
            foreach ((string user, string subject, string body) in Steps)
            {
                if (!connections.TryGetValue(user, out BrokerConnection? connection))
                {
                    connection = await BrokerConnection.ConnectAsync(new ClientOptions { Servers = [url], User = user, Password = user, ConnectTimeout = Wait.Limit }, Ended);
                    connections.Add(user, connection);
                }

                byte[] sent = int.TryParse(body, out int length) ? new byte[length] : Encoding.UTF8.GetBytes(body);
                Message answer = await connection.RequestAsync(subject, sent, Wait.Limit, cancellationToken: Ended);
                answers.Add($"{user} {subject} {body}: {Essence(answer.Body)}");
            }
        }
        finally
        {
            foreach (BrokerConnection connection in connections.Values)
            {
                await connection.DisposeAsync();
            }
        }

        return [.. answers];
    }

    // What is equal in both servers: the error, the limits, the reservations and the limit that a consumer gets.
    private static string Essence(ReadOnlyMemory<byte> body)
    {
        using var answer = JsonDocument.Parse(body);
        string[] kept = ["error", "limits", "reserved_memory", "reserved_storage", "streams", "consumers"];
        string essence = string.Join(' ', answer.RootElement.EnumerateObject().Where(property => kept.Contains(property.Name, StringComparer.Ordinal)).Select(static property => property.ToString()));
        return answer.RootElement.TryGetProperty("config", out JsonElement config) && config.TryGetProperty("max_ack_pending", out JsonElement pending)
            ? $"{essence} max_ack_pending {pending}"
            : essence;
    }

    private string FileOf(string store) => $$"""
        jetstream { store_dir: "{{Path.Combine(_folder.Path, store).Replace('\\', '/')}}", max_mem: 10MB, max_file: 10MB }
        accounts {
          A {
            users: [ { user: a, password: a } ]
            jetstream { max_mem: 1MB, max_file: 2000, max_streams: 2, max_consumers: 2, max_ack_pending: 50, disk_max_stream_bytes: 1500, mem_max_stream_bytes: 1000 }
          }
          B { users: [ { user: b, password: b } ], jetstream { max_bytes_required: true, max_file: 0 } }
          C { users: [ { user: c, password: c } ], jetstream: enabled }
        }
        """;
}
