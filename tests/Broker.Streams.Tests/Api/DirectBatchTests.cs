using System.Collections.Concurrent;
using System.Text;
using Broker.Client;
using Broker.Streams.Tests.Store;

namespace Broker.Streams.Tests.Api;

public sealed class DirectBatchTests
{
    private readonly SetClock _clock = new();

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    // Messages 1 to 10 have the subjects s.0, s.1, s.2, s.0 and so on, one each second. The answers are those of
    // nats-server 2.15.1: sequences, and then what the status says.
    [Theory]
    [InlineData("""{"multi_last":["s.>"]}""", "8 9 10", "204 EOB, 0 more after 10 up to 10")]
    [InlineData("""{"multi_last":["s.0","s.2"]}""", "9 10", "204 EOB, 0 more after 10 up to 10")]
    [InlineData("""{"multi_last":["s.>"],"up_to_seq":5}""", "3 4 5", "204 EOB, 0 more after 5 up to 5")]
    [InlineData("""{"multi_last":["s.>"],"up_to_seq":2}""", "1 2", "204 EOB, 0 more after 2 up to 2")]
    [InlineData("""{"multi_last":["s.>"],"batch":2}""", "8 9", "204 EOB, 1 more after 9 up to 10")]
    [InlineData("""{"multi_last":["s.>"],"seq":9}""", "9 10", "204 EOB, 0 more after 10 up to 10")]
    [InlineData("""{"multi_last":["s.>"],"up_to_time":"2026-01-01T00:00:04.5Z"}""", "3 4 5", "204 EOB, 0 more after 5 up to 5")]
    [InlineData("""{"multi_last":["s.>"],"up_to_time":"2030-01-01T00:00:00Z"}""", "8 9 10", "204 EOB, 0 more after 10 up to 10")]
    [InlineData("""{"multi_last":["s.>"],"up_to_time":"2020-01-01T00:00:00Z"}""", "", "404 No Results")]
    [InlineData("""{"multi_last":["other"]}""", "", "404 No Results")]
    [InlineData("""{"multi_last":[]}""", "", "408 Empty Request")]
    [InlineData("""{"multi_last":["s.>"],"next_by_subj":"s.1"}""", "", "408 Bad Request")]
    [InlineData("""{"multi_last":["s.>"],"up_to_seq":5,"up_to_time":"2030-01-01T00:00:00Z"}""", "", "408 Bad Request")]
    [InlineData("""{"batch":3,"seq":2}""", "2 3 4", "204 EOB, 6 more after 4")]
    [InlineData("""{"batch":1,"seq":1}""", "1", "204 EOB, 9 more after 1")]
    [InlineData("""{"batch":2,"seq":2,"next_by_subj":"s.1"}""", "2 5", "204 EOB, 1 more after 5")]
    [InlineData("""{"batch":2,"next_by_subj":"s.1"}""", "2 5", "204 EOB, 1 more after 5")]
    [InlineData("""{"batch":2,"start_time":"2026-01-01T00:00:04.5Z"}""", "6 7", "204 EOB, 3 more after 7")]
    [InlineData("""{"batch":2000,"seq":1}""", "1 2 3 4 5 6 7 8 9 10", "204 EOB, 0 more after 10")]
    [InlineData("""{"batch":9,"seq":1,"max_bytes":13}""", "1 2 3", "204 EOB, 7 more after 3")]
    [InlineData("""{"batch":9,"seq":1,"max_bytes":1}""", "1", "204 EOB, 9 more after 1")]
    [InlineData("""{"batch":3,"seq":11}""", "", "404 Message Not Found")]
    [InlineData("""{"batch":3}""", "", "408 Empty Request")]
    [InlineData("""{"batch":3,"last_by_subj":"s.1"}""", "", "408 Bad Request")]
    [InlineData("""{"batch":3,"seq":1,"start_time":"2026-01-01T00:00:00Z"}""", "", "408 Bad Request")]
    public async Task Several_messages_are_sent_and_a_status_ends_them(string request, string sequences, string status)
    {
        await using ApiSite site = await FilledAsync();

        (List<string> headers, string end) = await ReadAsync(site, request);

        Assert.Equal(sequences, string.Join(' ', headers.Select(static text => ValueOf(text, "Nats-Sequence"))));
        Assert.Equal(status, end);
        Assert.Equal(sequences.Length == 0 ? [] : sequences.Split(' ').Prepend("0").SkipLast(1), headers.Select(static text => ValueOf(text, "Nats-Last-Sequence")));
    }

    [Theory]
    [InlineData("""{"start_time":"2026-01-01T00:00:04.5Z"}""", "6")]
    [InlineData("""{"start_time":"2026-01-01T00:00:04.5Z","next_by_subj":"s.1"}""", "8")]
    public async Task One_message_is_read_by_its_time(string request, string sequence)
    {
        await using ApiSite site = await FilledAsync();

        Message message = await site.RequestAsync("$JS.API.DIRECT.GET.S", request);

        Assert.Equal(sequence, ValueOf(Encoding.UTF8.GetString(message.Headers.Span), "Nats-Sequence"));
    }

    [Fact]
    public async Task Many_messages_are_read_some_at_a_time_and_deleted_ones_are_skipped()
    {
        const int Messages = 1000;
        await using ApiSite site = await FilledAsync(Messages);
        await site.CallAsync("STREAM.MSG.DELETE.S", """{"seq":500}""");

        (List<string> headers, string end) = await ReadAsync(site, """{"batch":5000,"seq":1}""");

        Assert.Equal(Enumerable.Range(1, Messages).Where(static i => i != 500), headers.Select(static text => int.Parse(ValueOf(text, "Nats-Sequence"), null)));
        Assert.Equal(Enumerable.Range(0, Messages - 1).Reverse(), headers.Select(static text => int.Parse(ValueOf(text, "Nats-Num-Pending"), null)));
        Assert.Equal($"204 EOB, 0 more after {Messages}", end);
    }

    [Fact]
    public async Task The_last_messages_of_too_many_subjects_are_refused()
    {
        await using ApiSite site = await FilledAsync(subjects: DirectBatchRead.MaxSubjects + 1, messages: DirectBatchRead.MaxSubjects + 1);

        (List<string> headers, string end) = await ReadAsync(site, """{"multi_last":["s.>"]}""");

        Assert.Equal("413 Too Many Results", end);
        Assert.Empty(headers);
    }

    private static async Task<(List<string> Headers, string End)> ReadAsync(ApiSite site, string request)
    {
        var received = new ConcurrentQueue<Message>();
        string inbox = BrokerConnection.NewInbox("direct");
        await using HandlerBinding binding = site.Connection.Subscribe(inbox, (Message message) => received.Enqueue(message));
        await site.Connection.PublishAsync("$JS.API.DIRECT.GET.S", Encoding.UTF8.GetBytes(request), inbox, cancellationToken: Ended);
        await Wait.UntilAsync(() => received.Any(static message => HeadersOf(message).StartsWith("NATS/1.0 ", StringComparison.Ordinal)));
        List<string> all = [.. received.Select(HeadersOf)];
        string last = all[^1];
        string end = last["NATS/1.0 ".Length..last.IndexOf("\r\n", StringComparison.Ordinal)];
        if (ValueOf(last, "Nats-Num-Pending") is { Length: > 0 } pending)
        {
            end += $", {pending} more after {ValueOf(last, "Nats-Last-Sequence")}";
        }

        string upTo = ValueOf(last, "Nats-UpTo-Sequence");
        return (all[..^1], upTo.Length > 0 ? $"{end} up to {upTo}" : end);
    }

    private static string HeadersOf(Message message) => Encoding.UTF8.GetString(message.Headers.Span);

    private static string ValueOf(string headers, string name)
    {
        int at = headers.IndexOf($"\r\n{name}: ", StringComparison.Ordinal);
        return at < 0 ? "" : headers[(at + name.Length + 4)..headers.IndexOf("\r\n", at + 2, StringComparison.Ordinal)];
    }

    private async Task<ApiSite> FilledAsync(int messages = 10, int subjects = 3)
    {
        ApiSite site = await ApiSite.StartAsync(store: new StoreOptions { SegmentBytes = 1024 * 1024, MaxPendingBytes = 256 * 1024, Clock = _clock });
        await site.CreateAsync("S", "\"subjects\":[\"s.>\"],\"allow_direct\":true");
        for (int i = 0; i < messages; i++)
        {
            await site.PublishAsync($"s.{i % subjects}", "x");
            _clock.Now += TimeSpan.FromSeconds(1);
        }

        return site;
    }
}
