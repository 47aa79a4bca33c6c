using System.Text;
using Broker.Client.Streams.Tests.Support;

namespace Broker.Client.Streams.Tests.Management;

public sealed class StreamTests(SharedServers servers)
{
    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_stream_is_created_found_changed_and_deleted(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        StreamsClient streams = site.Streams;
        Assert.Null(await streams.FindStreamAsync(site.Name, Ended));

        StreamInfo created = await streams.CreateStreamAsync(
            new StreamConfig(site.Name, $"{site.Name}.>")
            {
                Description = "orders",
                Storage = StorageType.Memory,
                Discard = DiscardPolicy.New,
                MaxMessages = 10,
                MaxMessagesPerSubject = 5,
                MaxBytes = 100_000,
                MaxMessageSize = 1000,
                MaxAge = TimeSpan.FromHours(1),
                DuplicateWindow = TimeSpan.FromSeconds(30),
                AllowDirect = true,
                AllowRollup = true,
            },
            Ended);
        Assert.Equal(StorageType.Memory, created.Config.Storage);
        Assert.Equal(DiscardPolicy.New, created.Config.Discard);
        Assert.Equal(TimeSpan.FromHours(1), created.Config.MaxAge);
        Assert.Equal(TimeSpan.FromSeconds(30), created.Config.DuplicateWindow);
        Assert.True(created.Config.AllowDirect);

        StreamInfo found = (await streams.FindStreamAsync(site.Name, Ended))!;
        Assert.Equal($"{site.Name}.>", Assert.Single(found.Config.Subjects!));
        Assert.Equal(10, found.Config.MaxMessages);
        Assert.Equal("orders", found.Config.Description);
        Assert.Equal(0ul, found.State.Messages);

        StreamInfo changed = await streams.UpdateStreamAsync(found.Config with { MaxMessages = 20 }, Ended);
        Assert.Equal(20, changed.Config.MaxMessages);
        Assert.Equal(5, changed.Config.MaxMessagesPerSubject);

        Assert.True(await streams.DeleteStreamAsync(site.Name, Ended));
        Assert.False(await streams.DeleteStreamAsync(site.Name, Ended));
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task Create_or_update_does_what_is_needed(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        var config = new StreamConfig(site.Name, $"{site.Name}.>") { Storage = StorageType.Memory };

        StreamInfo created = await site.Streams.CreateOrUpdateStreamAsync(config, Ended);
        StreamInfo updated = await site.Streams.CreateOrUpdateStreamAsync(config with { MaxBytes = 1000 }, Ended);

        Assert.Equal(-1, created.Config.MaxBytes);
        Assert.Equal(1000, updated.Config.MaxBytes);
        Assert.Equal(created.Created, updated.Created);
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task An_error_names_the_stream_the_code_and_the_remedy(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        await site.CreateAsync();

        StreamException exists = await Assert.ThrowsAsync<StreamException>(
            () => site.Streams.CreateStreamAsync(new StreamConfig(site.Name, "other." + site.Name), Ended));
        StreamException missing = await Assert.ThrowsAsync<StreamException>(() => site.Streams.GetStreamAsync("missing", cancellationToken: Ended));
        StreamException noConsumer = await Assert.ThrowsAsync<StreamException>(() => site.Streams.GetConsumerInfoAsync(site.Name, "nobody", Ended));

        Assert.Equal(StreamErrorCode.StreamNameInUse, exists.Code);
        Assert.Contains("CreateOrUpdateStreamAsync", exists.Message, StringComparison.Ordinal);
        Assert.Equal((StreamErrorCode.StreamNotFound, 404, "missing"), (missing.Code, missing.Status, missing.Stream));
        Assert.Contains("'missing'", missing.Message, StringComparison.Ordinal);
        Assert.Contains("10059", missing.Message, StringComparison.Ordinal);
        Assert.Equal((StreamErrorCode.ConsumerNotFound, site.Name, "nobody"), (noConsumer.Code, noConsumer.Stream, noConsumer.Consumer));
        Assert.Contains("'nobody'", noConsumer.Message, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task Streams_are_listed_by_the_subjects_that_they_have(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        await site.CreateAsync();

        List<string> names = await ReadAsync(site.Streams.ListStreamNamesAsync(site.Subject(), Ended));
        List<StreamInfo> all = await ReadAsync(site.Streams.ListStreamsAsync(cancellationToken: Ended));

        Assert.Equal([site.Name], names);
        Assert.Contains(all, stream => stream.Config.Name == site.Name);
        Assert.Empty(await ReadAsync(site.Streams.ListStreamNamesAsync("no.such.subject", Ended)));
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_list_of_several_pages_is_complete(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        await site.CreateAsync();
        const int Consumers = 270;
        for (int i = 0; i < Consumers; i++)
        {
            await site.Streams.CreateConsumerAsync(site.Name, new ConsumerConfig($"c{i}") { MemoryStorage = true }, Ended);
        }

        Assert.Equal(Consumers, (await ReadAsync(site.Streams.ListConsumersAsync(site.Name, Ended))).Select(static c => c.Name).Distinct().Count());
        Assert.Equal(Consumers, (await ReadAsync(site.Streams.ListConsumerNamesAsync(site.Name, Ended))).Distinct().Count());
        await site.Streams.DeleteStreamAsync(site.Name, Ended);
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task Messages_are_read_deleted_and_purged(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        await site.CreateAsync(static config => config.AllowDirect = true);
        StreamsClient streams = site.Streams;
        ReadOnlyMemory<byte> headers = new MessageHeaders { ["k"] = "v" };
        for (int i = 1; i <= 6; i++)
        {
            await streams.PublishAsync(site.Subject(i % 2 == 0 ? "even" : "odd"), Encoding.UTF8.GetBytes($"{i}"), headers: headers, cancellationToken: Ended);
        }

        foreach (bool direct in new[] { false, true })
        {
            StoredMessage second = (await streams.FindMessageAsync(site.Name, 2, direct, Ended))!;
            Assert.Equal((site.Name, site.Subject("even"), 2ul, "2"), (second.Stream, second.Subject, second.Sequence, Encoding.UTF8.GetString(second.Body.Span)));
            Assert.Equal("v", new MessageHeaders(second.Headers.Span)["k"]);
            Assert.True(second.Time > DateTimeOffset.UnixEpoch);
            Assert.Equal(5ul, (await streams.FindLastMessageAsync(site.Name, site.Subject("odd"), direct, Ended))!.Sequence);
            Assert.Equal(4ul, (await streams.FindNextMessageAsync(site.Name, site.Subject("even"), 3, direct, Ended))!.Sequence);
            Assert.Null(await streams.FindMessageAsync(site.Name, 100, direct, Ended));
            Assert.Null(await streams.FindLastMessageAsync(site.Name, site.Subject("none"), direct, Ended));
        }

        await streams.DeleteMessageAsync(site.Name, 3, cancellationToken: Ended);
        Assert.Null(await streams.FindMessageAsync(site.Name, 3, cancellationToken: Ended));
        StreamInfo info = await streams.GetStreamAsync(site.Name, ">", Ended);
        Assert.Equal(2ul, info.State.Subjects![site.Subject("odd")]);
        Assert.Equal(3, await streams.PurgeStreamAsync(site.Name, new PurgeOptions { Subject = site.Subject("even") }, Ended));
        Assert.Equal(1, await streams.PurgeStreamAsync(site.Name, new PurgeOptions { BeforeSequence = 5 }, Ended));
        Assert.Equal(1, await streams.PurgeStreamAsync(site.Name, cancellationToken: Ended));
        await Assert.ThrowsAsync<StreamException>(() => streams.DeleteMessageAsync(site.Name, 3, cancellationToken: Ended));
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_consumer_is_created_found_changed_and_deleted(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        await site.CreateAsync();
        StreamsClient streams = site.Streams;
        var config = new ConsumerConfig("worker") { FilterSubject = site.Subject(), AckWait = TimeSpan.FromSeconds(10), MaxAckPending = 7, Backoff = [TimeSpan.FromSeconds(10)], MaxDeliver = 3 };

        ConsumerInfo created = (await streams.CreateConsumerAsync(site.Name, config, Ended)).Info;
        ConsumerInfo changed = (await streams.CreateOrUpdateConsumerAsync(site.Name, created.Config with { MaxAckPending = 9 }, Ended)).Info;
        ConsumerInfo found = (await streams.FindConsumerInfoAsync(site.Name, "worker", Ended))!;
        StreamConsumer unnamed = await streams.CreateConsumerAsync(site.Name, new ConsumerConfig(), Ended);

        Assert.Equal((site.Name, "worker", 7, AckPolicy.Explicit), (created.Stream, created.Name, created.Config.MaxAckPending, created.Config.AckPolicy));
        Assert.Equal(TimeSpan.FromSeconds(10), Assert.Single(created.Config.Backoff!));
        Assert.Equal((9, 9, site.Subject()), (changed.Config.MaxAckPending, found.Config.MaxAckPending, found.Config.FilterSubject));
        Assert.NotEmpty(unnamed.Name);
        Assert.Equal(2, (await ReadAsync(streams.ListConsumerNamesAsync(site.Name, Ended))).Count);
        Assert.True(await streams.DeleteConsumerAsync(site.Name, "worker", Ended));
        Assert.False(await streams.DeleteConsumerAsync(site.Name, "worker", Ended));
        Assert.Null(await streams.FindConsumerInfoAsync(site.Name, "worker", Ended));
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task The_filter_of_a_consumer_may_have_wildcards(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        await site.CreateAsync();
        await site.Streams.PublishAsync(site.Subject("a.1"), default, cancellationToken: Ended);
        await site.Streams.PublishAsync(site.Subject("b.1"), default, cancellationToken: Ended);
        string filter = site.Subject("a.*");

        ConsumerInfo created = (await site.Streams.CreateConsumerAsync(site.Name, new ConsumerConfig("worker") { FilterSubject = filter }, Ended)).Info;

        Assert.Equal((filter, 1ul), (created.Config.FilterSubject, created.Pending));
    }

    [Theory]
    [MemberData(nameof(EachServer.Since210), MemberType = typeof(EachServer))]
    public async Task A_server_of_2_10_tells_apart_create_and_update_of_a_consumer(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        await site.CreateAsync();
        var config = new ConsumerConfig("worker") { FilterSubjects = [site.Subject("a"), site.Subject("b")], Metadata = new Dictionary<string, string> { ["owner"] = "us" } };

        StreamException missing = await Assert.ThrowsAsync<StreamException>(() => site.Streams.UpdateConsumerAsync(site.Name, config, Ended));
        ConsumerInfo created = (await site.Streams.CreateConsumerAsync(site.Name, config, Ended)).Info;
        StreamException exists = await Assert.ThrowsAsync<StreamException>(
            () => site.Streams.CreateConsumerAsync(site.Name, config with { MaxAckPending = 3 }, Ended));

        Assert.Equal(StreamErrorCode.ConsumerDoesNotExist, missing.Code);
        Assert.Equal(StreamErrorCode.ConsumerExists, exists.Code);
        Assert.Equal("us", created.Config.Metadata!["owner"]);
        Assert.Equal(2, created.Config.FilterSubjects!.Count);
    }

    [Theory]
    [MemberData(nameof(EachServer.WithPauses), MemberType = typeof(EachServer))]
    public async Task A_consumer_pauses_and_resumes(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        await site.CreateAsync();
        await site.Streams.CreateConsumerAsync(site.Name, new ConsumerConfig("worker"), Ended);

        Assert.True(await site.Streams.PauseConsumerAsync(site.Name, "worker", DateTimeOffset.UtcNow.AddHours(1), Ended));
        ConsumerInfo paused = await site.Streams.GetConsumerInfoAsync(site.Name, "worker", Ended);
        await site.Streams.ResumeConsumerAsync(site.Name, "worker", Ended);
        ConsumerInfo resumed = await site.Streams.GetConsumerInfoAsync(site.Name, "worker", Ended);

        Assert.True(paused.Paused);
        Assert.True(paused.PauseRemaining > TimeSpan.FromMinutes(10));
        Assert.False(resumed.Paused);
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task The_account_tells_its_use_and_its_limits(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        await site.CreateAsync();

        AccountInfo account = await site.Streams.GetAccountAsync(Ended);

        Assert.True(account.Streams >= 1);
        Assert.True(account.Api.Total >= 1);
        Assert.NotEqual(0, account.Limits.MaxStreams);
    }

    [Theory]
    [MemberData(nameof(EachServer.Newest), MemberType = typeof(EachServer))]
    public async Task An_update_keeps_the_fields_that_this_version_does_not_know(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        await site.CreateAsync(static config => config.OtherFields = new Dictionary<string, System.Text.Json.JsonElement>
        {
            ["allow_msg_counter"] = System.Text.Json.JsonDocument.Parse("true").RootElement,
        });

        StreamInfo found = await site.Streams.GetStreamAsync(site.Name, cancellationToken: Ended);
        StreamInfo updated = await site.Streams.UpdateStreamAsync(found.Config with { Description = "changed" }, Ended);

        Assert.True(updated.Config.OtherFields!["allow_msg_counter"].GetBoolean());
        Assert.Equal("changed", updated.Config.Description);
    }

    [Theory]
    [InlineData("")]
    [InlineData("a.b")]
    [InlineData("a b")]
    [InlineData("a>")]
    [InlineData("a/b")]
    public async Task A_name_that_is_not_a_token_is_refused_before_it_is_sent(string name)
    {
        await using StreamSite site = await servers.ConnectAsync(StreamServer.Installed);

        await Assert.ThrowsAsync<ArgumentException>(() => site.Streams.GetStreamAsync(name, cancellationToken: Ended));
        await Assert.ThrowsAsync<ArgumentException>(() => site.Streams.GetConsumerInfoAsync("a", name, Ended));
        await Assert.ThrowsAsync<ArgumentException>(() => site.Streams.CreateStreamAsync(new StreamConfig(name), Ended));
    }

    [Fact]
    public async Task A_server_without_streams_is_named_as_the_cause()
    {
        using var plain = NatsServer.Start();
        await using BrokerConnection connection = await BrokerConnection.ConnectAsync(plain.Url, Ended);
        using StreamsClient streams = connection.Streams();

        StreamsUnavailableException error = await Assert.ThrowsAsync<StreamsUnavailableException>(() => streams.GetStreamAsync("S", cancellationToken: Ended));

        Assert.Contains("JetStream is not enabled", error.Message, StringComparison.Ordinal);
        Assert.Equal("S", error.Stream);
    }

    private static async Task<List<T>> ReadAsync<T>(IAsyncEnumerable<T> source)
    {
        var all = new List<T>();
        await foreach (T item in source)
        {
            all.Add(item);
        }

        return all;
    }
}
