using Broker.Client.Streams.Tests.Support;

namespace Broker.Client.Streams.Tests.Objects;

/// <summary>Puts whose chunks come out of order, or are lost with the server.</summary>
public sealed class ObjectScriptedTests
{
    private const string InfoOfStream = """{"config":{"name":"OBJ_s","subjects":["$O.s.C.>","$O.s.M.>"]},"state":{"messages":0}}""";

    private static readonly PutObjectOptions OneByteEach = new() { ChunkSize = 1 };

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Chunks_that_were_stored_out_of_order_are_removed_and_stored_again()
    {
        await using var server = Scripted.Start();
        ObjectStore store = await OpenAsync(server);

        Task<ObjectInfo> put = store.PutAsync("a", "abc"u8.ToArray(), OneByteEach, Ended);
        Acknowledge(server, await ChunkAsync(server, "a"), 2);
        Acknowledge(server, await ChunkAsync(server, "b"), 1);
        Acknowledge(server, await ChunkAsync(server, "c"), 3);
        foreach (int sequence in (int[])[1, 3])
        {
            Scripted.Published delete = await server.NextAsync("STREAM.MSG.DELETE.OBJ_s");
            Assert.Contains($"\"seq\":{sequence}", delete.Body, StringComparison.Ordinal);
            server.Answer(delete.ReplyTo, """{"success":true}""");
        }

        Acknowledge(server, await ChunkAsync(server, "b"), 4);
        Acknowledge(server, await ChunkAsync(server, "c"), 5);
        server.Answer((await server.NextAsync("STREAM.MSG.GET.OBJ_s")).ReplyTo, """{"error":{"code":404,"err_code":10037,"description":"no message found"}}""");
        Acknowledge(server, await server.TakeAsync(static p => p.Subject.StartsWith("$O.s.M.", StringComparison.Ordinal), "the description"), 6);
        ObjectInfo info = await Wait.For(put);

        Assert.Equal((3, 3), (info.Size, info.Chunks));
        // The digest of "abc" in FIPS 180.
        Assert.Equal("SHA-256=ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0=", info.Digest);
    }

    [Fact]
    public async Task A_put_fails_if_a_chunk_that_was_acknowledged_is_lost_with_the_server()
    {
        await using var server = Scripted.Start();
        ObjectStore store = await OpenAsync(server);

        Task<ObjectInfo> put = store.PutAsync("a", "ab"u8.ToArray(), OneByteEach, Ended);
        Acknowledge(server, await ChunkAsync(server, "a"), 1);
        await ChunkAsync(server, "b");
        server.Drop();
        Scripted.Published again = await ChunkAsync(server, "b");
        Acknowledge(server, again, 2);
        Scripted.Published count = await server.NextAsync("STREAM.INFO.OBJ_s");
        server.Answer(count.ReplyTo, InfoOfStream.Replace("\"messages\":0", $$"""
            "messages":1,"num_subjects":1,"subjects":{"{{again.Subject}}":1}
            """, StringComparison.Ordinal));
        Scripted.Published purge = await server.NextAsync("STREAM.PURGE.OBJ_s");
        server.Answer(purge.ReplyTo, """{"success":true,"purged":1}""");
        ObjectStoreException lost = await Assert.ThrowsAsync<ObjectStoreException>(() => Wait.For(put));

        Assert.Contains(again.Subject, count.Body, StringComparison.Ordinal);
        Assert.Contains(again.Subject, purge.Body, StringComparison.Ordinal);
        Assert.Contains("1 of its 2 chunks are stored", lost.Message, StringComparison.Ordinal);
    }

    private static async Task<ObjectStore> OpenAsync(Scripted server)
    {
        Task<ObjectStore> store = (await server.ConnectAsync()).GetObjectStoreAsync("s", Ended);
        server.Answer((await server.NextAsync("STREAM.INFO.OBJ_s")).ReplyTo, InfoOfStream);
        return await Wait.For(store);
    }

    private static Task<Scripted.Published> ChunkAsync(Scripted server, string body)
        => server.TakeAsync(p => p.Subject.StartsWith("$O.s.C.", StringComparison.Ordinal) && p.Body == body, $"the chunk {body}");

    private static void Acknowledge(Scripted server, Scripted.Published message, int sequence)
        => server.Answer(message.ReplyTo, $$"""{"stream":"OBJ_s","seq":{{sequence}}}""");
}
