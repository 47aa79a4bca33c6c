using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using System.Text.Json.Serialization;
using System.Threading.Channels;
using Broker.Client.Tests.Support;

namespace Broker.Client.Tests.Encoded;

public sealed partial class EncodedTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    public sealed record Point(int X, int Y);

    [JsonSerializable(typeof(Point))]
    private sealed partial class PointJson : JsonSerializerContext;

    private static void RoundTrip<T>(IMessageEncoder encoder, T value, string? text = null)
    {
        var body = new ArrayBufferWriter<byte>();
        encoder.Encode(value, body);
        Assert.Equal(value, encoder.Decode<T>(body.WrittenSpan));
        if (text is not null)
        {
            Assert.Equal(text, System.Text.Encoding.UTF8.GetString(body.WrittenSpan));
        }
    }

    [Fact]
    public void TextEncoder_supports_strings_numbers_dates_and_identifiers()
    {
        TextEncoder text = TextEncoder.Instance;
        RoundTrip(text, "bé", "bé");
        RoundTrip(text, "");
        RoundTrip(text, true, "true");
        RoundTrip(text, -42, "-42");
        RoundTrip(text, long.MinValue);
        RoundTrip(text, 0.1, "0.1");
        RoundTrip(text, 0.1f);
        RoundTrip(text, 79228162514264337593543950335m);
        RoundTrip(text, uint.MaxValue);
        RoundTrip(text, ulong.MaxValue);
        RoundTrip(text, (short)-1);
        RoundTrip(text, (ushort)1);
        RoundTrip(text, (byte)255);
        RoundTrip(text, (sbyte)-128);
        RoundTrip(text, Int128.MaxValue);
        RoundTrip(text, Guid.NewGuid());
        RoundTrip(text, TimeSpan.FromTicks(123456789));
        RoundTrip(text, new DateTimeOffset(2026, 2, 3, 4, 5, 6, TimeSpan.FromHours(2)).AddTicks(7));
        RoundTrip(text, new DateTime(2026, 2, 3, 4, 5, 6, DateTimeKind.Utc));
        Assert.Throws<FormatException>(() => text.Decode<int>("4x"u8));
        Assert.Throws<FormatException>(() => text.Decode<bool>("yes"u8));
        Assert.Throws<NotSupportedException>(() => text.Decode<Point>("1"u8));
        Assert.Throws<NotSupportedException>(() => text.Encode(new object(), new ArrayBufferWriter<byte>()));
    }

    [Fact]
    public void RawEncoder_keeps_bytes_unchanged_and_JsonEncoder_supports_the_types_of_its_context()
    {
        byte[] bytes = [1, 2, 3];
        var body = new ArrayBufferWriter<byte>();
        RawEncoder.Instance.Encode(bytes, body);
        RawEncoder.Instance.Encode<ReadOnlyMemory<byte>>(bytes, body);
        RawEncoder.Instance.Encode<Memory<byte>>(bytes, body);
        Assert.Equal([1, 2, 3, 1, 2, 3, 1, 2, 3], RawEncoder.Instance.Decode<byte[]>(body.WrittenSpan));
        Assert.Equal(9, RawEncoder.Instance.Decode<ReadOnlyMemory<byte>>(body.WrittenSpan).Length);
        Assert.Equal(9, RawEncoder.Instance.Decode<Memory<byte>>(body.WrittenSpan).Length);
        Assert.Throws<NotSupportedException>(() => RawEncoder.Instance.Decode<string>(body.WrittenSpan));
        Assert.Throws<NotSupportedException>(() => RawEncoder.Instance.Encode("x", body));
        var json = new JsonEncoder(PointJson.Default);
        RoundTrip(json, new Point(1, -2), "{\"X\":1,\"Y\":-2}");
        Assert.Throws<FormatException>(() => json.Decode<Point>("{"u8));
        Assert.Throws<NotSupportedException>(() => json.Decode<Uri>("1"u8));
    }

    [Fact]
    public void TextEncoder_supports_enumerations_and_nullable_values()
    {
        TextEncoder text = TextEncoder.Instance;
        RoundTrip(text, DayOfWeek.Friday, "Friday");
        RoundTrip(text, (DayOfWeek)42, "42");
        RoundTrip(text, FileAccess.ReadWrite, "ReadWrite");
        RoundTrip<DayOfWeek?>(text, DayOfWeek.Friday, "Friday");
        RoundTrip<DayOfWeek?>(text, null, "");
        RoundTrip<int?>(text, 7, "7");
        RoundTrip<int?>(text, null, "");
        RoundTrip<bool?>(text, true, "true");
        RoundTrip<bool?>(text, null, "");
        RoundTrip<double?>(text, 0.5, "0.5");
        RoundTrip<DateTimeOffset?>(text, new DateTimeOffset(2026, 2, 3, 4, 5, 6, TimeSpan.FromHours(2)));
        RoundTrip<Guid?>(text, null, "");
        var body = new ArrayBufferWriter<byte>();
        text.Encode<string?>(null, body);
        Assert.Equal(0, body.WrittenCount);
        Assert.Equal(DayOfWeek.Friday, text.Decode<DayOfWeek>("friday"u8));
        Assert.Throws<FormatException>(() => text.Decode<DayOfWeek>("Someday"u8));
        Assert.Throws<FormatException>(() => text.Decode<DayOfWeek>(""u8));
        Assert.Throws<FormatException>(() => text.Decode<int>(""u8));
        Assert.Throws<FormatException>(() => text.Decode<int?>("x"u8));
        Assert.Throws<NotSupportedException>(() => text.Encode<object?>(null, body));
        Assert.Throws<NotSupportedException>(() => text.Encode<Point?>(null, body));
    }

    [Fact]
    public void JsonEncoder_encodes_any_type_by_reflection_if_the_program_chooses_it()
    {
        RoundTrip(JsonEncoder.Instance, new Point(1, -2), "{\"X\":1,\"Y\":-2}");
        RoundTrip(JsonEncoder.Instance, new DateOnly(2026, 2, 3), "\"2026-02-03\"");
        var options = new System.Text.Json.JsonSerializerOptions(System.Text.Json.JsonSerializerDefaults.Web);
        var web = new JsonEncoder(options);
        options.WriteIndented = true;
        RoundTrip(web, new Point(1, -2), "{\"x\":1,\"y\":-2}");
        Assert.Throws<FormatException>(() => JsonEncoder.Instance.Decode<Point>("["u8));
        foreach (MemberInfo member in (MemberInfo[])
            [typeof(JsonEncoder).GetProperty(nameof(JsonEncoder.Instance))!.GetMethod!, typeof(JsonEncoder).GetConstructor([typeof(System.Text.Json.JsonSerializerOptions)])!])
        {
            Assert.NotNull(member.GetCustomAttribute<RequiresUnreferencedCodeAttribute>());
            Assert.NotNull(member.GetCustomAttribute<RequiresDynamicCodeAttribute>());
        }
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task A_value_can_be_read_with_its_subject_reply_and_headers(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await using BrokerConnection client = await Patient.ConnectAsync(server.Options, Token);
        EncodedConnection numbers = client.WithEncoder(TextEncoder.Instance);
        await using IAsyncEnumerator<EncodedMessage<int>> questions = numbers.ReadMessagesAsync<int>("n.*", cancellationToken: Token).GetAsyncEnumerator(Token);
        ValueTask<bool> next = questions.MoveNextAsync();
        await client.PingAsync(Token);
        numbers.Publish("n.bad", "no number");
        ValueTask<EncodedMessage<string>> asked = numbers.RequestMessageAsync<int, string>(
            "n.good", 7, Wait.Limit, new MessageHeaders { ["Unit"] = "mm" }, Token);
        Assert.True(await next);
        EncodedMessage<int> question = questions.Current;
        Assert.Equal(("n.good", 7, "mm", "7", "n.good \"7\""), (question.Subject, question.Value, question.Headers["unit"], question.Message.Text, question.ToString()));
        Assert.NotNull(question.ReplyTo);
        question.Respond("seven", new MessageHeaders { ["Language"] = "en" });
        EncodedMessage<string> answer = await asked;
        Assert.Equal(("seven", "en", null), (answer.Value, answer.Headers["Language"], answer.ReplyTo));
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task Values_are_published_subscribed_requested_and_read(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        TaskCompletionSource<(Subscription?, Exception)> faults = Wait.Source<(Subscription?, Exception)>();
        await using BrokerConnection client = await Patient.ConnectAsync(server.Options with { OnFault = (s, e) => faults.TrySetResult((s, e)) }, Token);
        var points = new EncodedConnection(client, new JsonEncoder(PointJson.Default));
        var numbers = new EncodedConnection(client, TextEncoder.Instance);
        TaskCompletionSource<Point> got = Wait.Source<Point>();
        points.Subscribe<Point>("p", got.SetResult);
        await points.PublishAsync("p", new Point(3, 4), cancellationToken: Token);
        Assert.Equal(new Point(3, 4), await Wait.For(got));
        points.Subscribe<Point>("turn", (p, m) => points.Respond(m, new Point(-p.Y, p.X)));
        Assert.Equal(
            new Point(-2, 1), await points.RequestAsync<Point, Point>("turn", new Point(1, 2), Wait.Limit, cancellationToken: Token));
        TaskCompletionSource<string?> heard = Wait.Source<string?>();
        numbers.Subscribe<int>("n", (_, m) => heard.SetResult(new MessageHeaders(m.Headers.Span)["Unit"]));
        numbers.Publish("n", 7, headers: new MessageHeaders { ["Unit"] = "mm" });
        Assert.Equal("mm", await Wait.For(heard));
        var read = new List<int>();
        var reading = Task.Run(
            async () =>
            {
                await foreach (int number in numbers.ReadAsync<int>("list", cancellationToken: Token))
                {
                    read.Add(number);
                    if (read.Count == 3)
                    {
                        break;
                    }
                }
            },
            Token);
        await Wait.UntilAsync(() => client.Core.Subscriber.Table.ToArray().Any(s => s.Filter == "list"));
        numbers.Publish("list", 1);
        numbers.Publish("list", "not a number");
        numbers.Publish("list", 2);
        numbers.Publish("list", 3);
        await Wait.For(reading);
        Assert.Equal([1, 2, 3], read);
        (Subscription? subscription, Exception fault) = await Wait.For(faults);
        Assert.Equal("list", subscription!.Filter);
        Assert.IsType<FormatException>(fault);
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task An_encoder_of_the_application_works_like_the_others(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await using BrokerConnection client = await Patient.ConnectAsync(server.Options, Token);
        var points = new EncodedConnection(client, new PointEncoder());
        points.Subscribe<Point>("turn", (p, m) => points.Respond(m, new Point(-p.Y, p.X)));
        Assert.Equal(
            new Point(-2, 1), await points.RequestAsync<Point, Point>("turn", new Point(1, 2), Wait.Limit, cancellationToken: Token));
        Assert.Throws<NotSupportedException>(() => points.Publish("turn", "no point"));
        await Assert.ThrowsAsync<NotSupportedException>(() => points.RequestAsync<Point, string>("turn", new Point(1, 2), Wait.Limit, cancellationToken: Token).AsTask());
    }

    /// <summary>Encodes two numbers of four bytes each.</summary>
    private sealed class PointEncoder : IMessageEncoder
    {
        public void Encode<T>(T value, IBufferWriter<byte> body)
        {
            if (value is not Point point)
            {
                throw new NotSupportedException();
            }

            body.Write(BitConverter.GetBytes(point.X));
            body.Write(BitConverter.GetBytes(point.Y));
        }

        public T Decode<T>(ReadOnlySpan<byte> body)
            => typeof(T) == typeof(Point)
                ? (T)(object)new Point(BitConverter.ToInt32(body), BitConverter.ToInt32(body[4..]))
                : throw new NotSupportedException();
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task A_full_channel_blocks_its_binding_and_loses_nothing(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await using BrokerConnection client = await Patient.ConnectAsync(server.Options, Token);
        var numbers = new EncodedConnection(client, TextEncoder.Instance);
        var received = Channel.CreateBounded<int>(2);
        await using ChannelBinding binding = numbers.BindReceive("n", received.Writer);
        var sent = Channel.CreateUnbounded<int>();
        for (int i = 0; i < 1000; i++)
        {
            sent.Writer.TryWrite(i);
        }

        sent.Writer.Complete();
        await Wait.For(numbers.BindSendAsync("n", sent.Reader, Token));
        await binding.Subscription.DrainAsync(Token);
        Assert.False(received.Reader.Completion.IsCompleted);
        int expected = 0;
        await foreach (int number in received.Reader.ReadAllAsync(Token))
        {
            Assert.Equal(expected++, number);
        }

        Assert.Equal(1000, expected);
        await Wait.For(binding.Completion);
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task A_channel_is_completed_with_the_error_that_ended_its_subscription(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await using BrokerConnection client = await Patient.ConnectAsync(server.Options, Token);
        var numbers = new EncodedConnection(client, TextEncoder.Instance);
        var narrow = Channel.CreateBounded<int>(1);
        await using ChannelBinding slow = numbers.BindReceive("n", narrow.Writer, new QueueOptions { MaxMessages = 1, WhenFull = FullQueuePolicy.End });
        for (int i = 0; i < 10; i++)
        {
            numbers.Publish("n", i);
        }

        await Assert.ThrowsAsync<SlowConsumerException>(async () =>
        {
            await foreach (int _ in narrow.Reader.ReadAllAsync(Token))
            {
                await client.PingAsync(Token);
            }
        });
        var ended = Channel.CreateUnbounded<int>();
        ChannelBinding binding = numbers.BindReceive("m", ended.Writer);
        await binding.DisposeAsync();
        await Wait.For(ended.Reader.Completion);
        Assert.False(binding.Subscription.Subscription.IsActive);
        var gone = Channel.CreateUnbounded<int>();
        await using ChannelBinding unread = numbers.BindReceive("g", gone.Writer);
        gone.Writer.Complete();
        numbers.Publish("g", 1);
        await Wait.For(unread.Completion);
        Assert.False(unread.Subscription.Subscription.IsActive);
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task A_binding_that_waits_for_space_is_cancelled_or_closed_and_leaves_the_value_in_its_channel(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        TaskCompletionSource<Exception> lost = Wait.Source<Exception>();
        BrokerConnection client = await Patient.ConnectAsync(
            server.Options with { ReconnectBufferSize = 1000, OnDisconnected = (_, e) => lost.TrySetResult(e) }, Token);
        await server.KillAsync();
        await Wait.For(lost);
        var values = new EncodedConnection(client, RawEncoder.Instance);
        var channel = Channel.CreateUnbounded<byte[]>();
        channel.Writer.TryWrite(new byte[900]);
        channel.Writer.TryWrite(new byte[901]);
        using var cancel = new CancellationTokenSource();
        Task sending = values.BindSendAsync("a", channel.Reader, cancel.Token);
        // The first value has been accepted, and the second one waits.
        await Wait.UntilAsync(() => channel.Reader.Count == 1, "the first value");
        Assert.False(sending.IsCompleted);
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Wait.For(sending));
        Assert.Equal(1, channel.Reader.Count);
        sending = values.BindSendAsync("a", channel.Reader, Token);
        await client.CloseAsync();
        await Assert.ThrowsAsync<ConnectionLostException>(() => Wait.For(sending));
        Assert.True(channel.Reader.TryRead(out byte[]? left));
        Assert.Equal(901, left.Length);
        await Assert.ThrowsAsync<ConnectionLostException>(() => Wait.For(values.BindSendAsync("a", channel.Reader, Token)));
        Assert.Equal(1, client.GetStatistics().Lost);
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task A_channel_that_fails_or_is_cancelled_ends_BindSendAsync_with_the_same_error(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await using BrokerConnection client = await Patient.ConnectAsync(server.Options, Token);
        var numbers = new EncodedConnection(client, TextEncoder.Instance);
        var failing = Channel.CreateUnbounded<int>();
        Task sending = numbers.BindSendAsync("n", failing.Reader, Token);
        failing.Writer.Complete(new InvalidDataException());
        await Assert.ThrowsAsync<InvalidDataException>(() => Wait.For(sending));
        using var cancel = new CancellationTokenSource();
        Task cancelled = numbers.BindSendAsync("n", Channel.CreateUnbounded<int>().Reader, cancel.Token);
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Wait.For(cancelled));
    }
}
