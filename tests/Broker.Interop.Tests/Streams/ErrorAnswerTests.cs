using System.Text;
using System.Text.Json;
using Broker.Client;
using Broker.Interop.Tests.Harness;

namespace Broker.Interop.Tests.Streams;

/// <summary>
/// Sends malformed and forbidden requests to the broker and to nats-server 2.15.1. Both must give the same code, error
/// code and description. The file requests.txt has the requests, and the answers that differ with the reason.
/// </summary>
public sealed class ErrorAnswerTests(ITestOutputHelper output)
{
    private const int LeastCases = 350;

    // The words after this text are the JSON library's own, except for a field that is not known.
    private const string InvalidJson = "invalid JSON: ";

    // Requests that succeed on a server must not change what the next ones find.
    private static readonly string[] Cleanup =
        ["STREAM.DELETE.X", "STREAM.DELETE.a", "CONSUMER.DELETE.S.X", "CONSUMER.DELETE.WORK.X", "CONSUMER.DELETE.FEW.X", "CONSUMER.DELETE.LIMITED.X"];

    private static readonly string Folder = Path.Combine(Repository.Root, "tests", "Broker.Interop.Tests", "Streams");

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Each_malformed_or_forbidden_request_gets_the_answer_of_nats_server()
    {
        List<RequestCase> cases = RequestCase.ReadAll(Path.Combine(Folder, "requests.txt"));
        await using StreamServer broker = await StreamServer.StartAsync(StreamServer.Ours);
        await using StreamServer natsServer = await StreamServer.StartAsync(StreamServer.Theirs);
        await using BrokerConnection ours = await BrokerConnection.ConnectAsync(new ClientOptions { Servers = [broker.Url], ConnectTimeout = Wait.Limit }, Ended);
        await using BrokerConnection theirs = await BrokerConnection.ConnectAsync(new ClientOptions { Servers = [natsServer.Url], ConnectTimeout = Wait.Limit }, Ended);
        var problems = new List<string>();
        foreach (RequestCase request in cases)
        {
            string here = await AskAsync(ours, request);
            string there = await AskAsync(theirs, request);
            if (ProblemOf(request, here, there) is { } problem)
            {
                problems.Add($"{request}\n  {problem}\n  here:  {here}\n  there: {there}");
            }
        }

        int differences = cases.Count(static request => request.Ours is not null);
        output.WriteLine($"{cases.Count(static request => !request.IsPreparation)} requests, {differences} answers differ for a stated reason");
        Assert.True(problems.Count == 0, string.Join('\n', problems));
        Assert.True(cases.Count >= LeastCases, $"{cases.Count} requests");
    }

    [Fact]
    public async Task Each_request_of_an_account_without_streams_gets_the_answer_of_nats_server()
    {
        const string Configuration = """
            accounts {
              A { jetstream: enabled, users [ { user: a, password: a } ], exports [ { service: '$JS.API.>' } ] }
              N { users [ { user: n, password: n } ] }
              I { users [ { user: i, password: i } ], imports [ { service: { account: A, subject: '$JS.API.>' } } ] }
            }
            """;
        string[] operations =
        [
            "INFO", "STREAM.NAMES", "STREAM.LIST", "STREAM.CREATE.X", "STREAM.UPDATE.X", "STREAM.INFO.X", "STREAM.DELETE.X", "STREAM.PURGE.X",
            "STREAM.SNAPSHOT.X", "STREAM.RESTORE.X", "STREAM.MSG.GET.X", "STREAM.MSG.DELETE.X", "CONSUMER.CREATE.X", "CONSUMER.CREATE.X.Y",
            "CONSUMER.CREATE.X.Y.z", "CONSUMER.DURABLE.CREATE.X.Y", "CONSUMER.NAMES.X", "CONSUMER.LIST.X", "CONSUMER.INFO.X.Y", "CONSUMER.DELETE.X.Y",
            "CONSUMER.PAUSE.X.Y", "CONSUMER.MSG.NEXT.X.Y", "DIRECT.GET.X", "DIRECT.GET.X.y",
        ];
        await using StreamServer broker = await StreamServer.StartAsync(StreamServer.Ours, Configuration);
        await using StreamServer natsServer = await StreamServer.StartAsync(StreamServer.Theirs, Configuration);
        string[] imported = ["INFO", "STREAM.NAMES", "STREAM.LIST", "STREAM.INFO.X"];
        foreach ((string user, string[] asked) in ((string, string[])[])[("n", operations), ("i", imported)])
        {
            await using BrokerConnection ours = await BrokerConnection.ConnectAsync(
                new ClientOptions { Servers = [broker.Url], ConnectTimeout = Wait.Limit, User = user, Password = user }, Ended);
            await using BrokerConnection theirs = await BrokerConnection.ConnectAsync(
                new ClientOptions { Servers = [natsServer.Url], ConnectTimeout = Wait.Limit, User = user, Password = user }, Ended);
            foreach (string operation in asked)
            {
                string expected = await AskAsync(theirs, $"$JS.API.{operation}", "{}", "");
                Assert.Equal($"{user} {operation}: {expected}", $"{user} {operation}: {await AskAsync(ours, $"$JS.API.{operation}", "{}", "")}");
            }
        }
    }

    [Fact]
    public void Each_reason_for_another_answer_is_in_the_table_of_the_documentation()
    {
        string page = File.ReadAllText(Path.Combine(Repository.Root, "docs", "streams.md"));
        IEnumerable<RequestCase> different = RequestCase.ReadAll(Path.Combine(Folder, "requests.txt")).Where(static request => request.Ours is not null);

        Assert.DoesNotContain(different, request => request.Why is null || !page.Contains($"| {request.Why} |", StringComparison.Ordinal));
    }

    private static string? ProblemOf(RequestCase request, string here, string there)
    {
        bool isEqual = string.Equals(here, there, StringComparison.Ordinal);
        return request switch
        {
            { IsPreparation: true } => here == "ok" && there == "ok" ? null : "a preparation failed",
            { Ours: null } => isEqual ? null : "the answers differ",
            _ when isEqual => "the answers are equal, so the difference must be removed from the file",
            { Ours: { } stated } => string.Equals(here, stated, StringComparison.Ordinal) ? null : $"our answer should be: {stated}",
        };
    }

    private static async Task<string> AskAsync(BrokerConnection connection, RequestCase request)
    {
        string answer = await AskAsync(connection, request.Subject, request.Body, request.Headers);
        if (!request.IsPreparation && answer == "ok" && request.Subject.Contains(".CREATE.", StringComparison.Ordinal))
        {
            foreach (string operation in Cleanup)
            {
                await AskAsync(connection, $"$JS.API.{operation}", "", "");
            }
        }

        return answer;
    }

    private static async Task<string> AskAsync(BrokerConnection connection, string subject, string body, string headers)
    {
        try
        {
            string block = headers.Length == 0 ? "" : $"NATS/1.0\r\n{headers.Replace(";", "\r\n", StringComparison.Ordinal)}\r\n\r\n";
            Client.Message answer = await connection.RequestAsync(subject, Encoding.UTF8.GetBytes(body), Wait.Limit, Encoding.UTF8.GetBytes(block), Ended);
            return answer.Headers.Length > 0 ? FirstLine(answer) : ErrorOf(answer.Body);
        }
        catch (NoRespondersException)
        {
            return "NATS/1.0 503";
        }
    }

    // The line with the status; a message of a stream has none.
    private static string FirstLine(Client.Message answer)
    {
        string text = Encoding.UTF8.GetString(answer.Headers.Span);
        string line = text[..text.IndexOf('\r', StringComparison.Ordinal)];
        int reason = line.IndexOf("Bad Request - ", StringComparison.Ordinal);
        bool isJson = line.Contains("JSON", StringComparison.Ordinal) || line.Contains("json", StringComparison.Ordinal);
        return line == "NATS/1.0" ? "ok" : isJson ? $"{line[..reason]}Bad Request - JSON" : line;
    }

    private static string ErrorOf(ReadOnlyMemory<byte> body)
    {
        using var answer = JsonDocument.Parse(body);
        if (!answer.RootElement.TryGetProperty("error", out JsonElement error))
        {
            return "ok";
        }

        string type = answer.RootElement.TryGetProperty("type", out JsonElement name) ? name.GetString()!.Split('.')[^1] : "publish";
        string description = error.GetProperty("description").GetString()!;
        bool isOwn = description.StartsWith(InvalidJson, StringComparison.Ordinal) && !description.Contains("unknown field", StringComparison.Ordinal);
        return $"{type} {error.GetProperty("code")} {error.GetProperty("err_code")} {(isOwn ? InvalidJson : description)}".TrimEnd();
    }
}
