using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;
using Broker.AspNetCore.Tests.Harness;

namespace Broker.AspNetCore.Tests.Monitoring;

/// <summary>
/// Compares the pages with those of the real nats-server: same keys, same types, and the same values if they do not
/// depend on the server.
/// </summary>
public sealed partial class ShapeTests
{
    private const string First =
        "SUB foo 1\r\nSUB bar.* q 2\r\nUNSUB 2 9\r\nPUB foo 5\r\nhello\r\nPUB foo 2\r\nhi\r\nPUB none 3\r\nabc\r\n";

    // Connections are equal in these fields, or differ by the time, so nats-server's order is random.
    private static readonly string[] Ties =
        ["=subs", "=pending", "=msgs_to", "=msgs_from", "=bytes_to", "=bytes_from", "=last", "=idle"];

    public static TheoryData<string> Pages =>
    [
        "varz", "connz", "connz?subs=1", "connz?subs=detail", "connz?subs=true&auth=1", "connz?state=all", "connz?state=closed",
        "connz?sort=start", "connz?sort=subs", "connz?sort=pending", "connz?sort=msgs_to", "connz?sort=msgs_from",
        "connz?sort=bytes_to", "connz?sort=bytes_from", "connz?sort=last", "connz?sort=idle", "connz?sort=uptime",
        "connz?state=closed&sort=stop", "connz?state=closed&sort=reason", "connz?cid=99", "connz?limit=1", "connz?offset=1",
        "connz?offset=99", "connz?limit=-1", "connz?offset=-1", "connz?user=nobody", "connz?user=nobody&auth=1",
        "connz?acc=$G", "connz?mqtt_client=nobody", "connz?filter_subject=foo&subs=1", "connz?limit=1&offset=1&subs=1", "subsz", "subsz?acc=$G&subs=1&test=foo",
        "accountz", "accountz?acc=$G", "accstatz", "accstatz?unused=1", "healthz", "routez", "leafz", "gatewayz", "jsz",
    ];

    [Theory]
    [MemberData(nameof(Pages))]
    public async Task A_page_has_the_fields_of_nats_server_with_their_types_and_values(string path)
    {
        using var oracle = NatsServer.Start("-m", "-1");
        await using Site site = await Site.StartAsync();
        JsonElement theirs = await PrepareAsync(oracle.EndPoint, oracle.Http, path);
        JsonElement ours = await PrepareAsync(site.Server.EndPoints[0], site.Http, path);
        if (Ties.Any(sort => path.EndsWith(sort, StringComparison.Ordinal)))
        {
            (theirs, ours) = (ByNumber(theirs), ByNumber(ours));
        }

        PageComparison.Compare(path, theirs, ours);
    }

    [Theory]
    [InlineData("connz?limit=abc")]
    [InlineData("connz?offset=abc")]
    [InlineData("connz?cid=abc")]
    [InlineData("connz?subs=foo")]
    [InlineData("connz?auth=foo")]
    [InlineData("connz?sort=bogus")]
    [InlineData("connz?sort=rtt")]
    [InlineData("connz?sort=stop")]
    [InlineData("connz?sort=reason")]
    [InlineData("connz?state=foo")]
    [InlineData("subsz?test=a..b")]
    [InlineData("accountz?acc=nope")]
    [InlineData("accstatz?unused=foo")]
    [InlineData("nothing")]
    public async Task A_wrong_request_has_the_status_that_nats_server_gives_it(string path)
    {
        using var oracle = NatsServer.Start("-m", "-1");
        await using Site site = await Site.StartAsync();
        using HttpResponseMessage theirs = await oracle.Http.GetAsync(path, TestContext.Current.CancellationToken);
        using HttpResponseMessage ours = await site.Http.GetAsync(path, TestContext.Current.CancellationToken);
        Assert.Equal(theirs.StatusCode, ours.StatusCode);
    }

    [Theory]
    [InlineData("//varz", "/varz")]
    [InlineData("/connz//?limit=1&sort=cid", "/connz?limit=1&sort=cid")]
    [InlineData("//nothing///here", "/nothing/here")]
    [InlineData("//example.org/x", "/example.org/x")]
    public async Task A_doubled_slash_is_redirected(string path, string to)
    {
        await using Site site = await Site.StartAsync();
        using var http = new HttpClient(new HttpClientHandler { AllowAutoRedirect = false });
        var address = new Uri($"{site.Http.BaseAddress!.GetLeftPart(UriPartial.Authority)}{path}");
        using HttpResponseMessage answer = await http.GetAsync(address, TestContext.Current.CancellationToken);
        Assert.Equal((System.Net.HttpStatusCode.MovedPermanently, to), (answer.StatusCode, answer.Headers.Location?.OriginalString));
    }

    private static JsonElement ByNumber(JsonElement page)
    {
        JsonNode node = JsonNode.Parse(page.GetRawText())!;
        JsonArray connections = node["connections"]!.AsArray();
        JsonNode[] ordered = [.. connections.Select(c => c!).OrderBy(c => (long)c["cid"]!)];
        connections.Clear();
        foreach (JsonNode connection in ordered)
        {
            connections.Add(connection);
        }

        return JsonSerializer.SerializeToElement(node);
    }

    private static async Task<JsonElement> PrepareAsync(System.Net.EndPoint endPoint, HttpClient http, string path)
    {
        CancellationToken cancellation = TestContext.Current.CancellationToken;
        using var first = new LineClient(
            endPoint, "{\"verbose\":false,\"pedantic\":false,\"name\":\"a<b>\",\"lang\":\"x\",\"version\":\"1\"}", First);
        using var second = new LineClient(endPoint, more: "SUB foo 1\r\nSUB foo 2\r\nSUB x 3\r\nPUB foo 4\r\nlong\r\n");
        first.Sync();
        using (new LineClient(endPoint))
        {
            // The value changes over time.
        }

        await Wait.UntilAsync(
            async () => (await http.GetStringAsync("connz?state=closed", cancellation)).Contains("\"stop\"", StringComparison.Ordinal),
            "the third client is not seen to have gone");
        // The round-trip time is known after the first PONG.
        await Wait.UntilAsync(
            async () =>
            {
                first.Sync();
                second.Sync();
                string text = await http.GetStringAsync("connz", cancellation);
                return text.Split("\"rtt\"").Length == 3;
            },
            "the round trip is not told");
        // The last PONG may not have arrived yet.
        string page = "";
        await Wait.UntilAsync(
            async () => !Pending().IsMatch(page = await http.GetStringAsync(path, cancellation)) || PageComparison.TellsClosed(path), "bytes wait for a client");
        using var json = JsonDocument.Parse(page);
        return json.RootElement.Clone();
    }

    [GeneratedRegex("\"pending_bytes\": [1-9]")]
    private static partial Regex Pending();
}
