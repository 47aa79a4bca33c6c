using System.Text;
using Broker.Client.Tests.Support;

namespace Broker.Client.Tests.Publishing;

public sealed class HeaderTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    private static string Block(MessageHeaders headers) => Encoding.UTF8.GetString(headers.ToBlock().Span);

    [Fact]
    public void Names_and_values_become_a_block_in_order()
    {
        var headers = new MessageHeaders { { "A", "one" }, { "a", "two" }, { "B", "bé" } };
        Assert.Equal("NATS/1.0\r\nA: one\r\na: two\r\nB: bé\r\n\r\n", Block(headers));
        Assert.Equal(3, headers.Count);
        headers["A"] = "three";
        Assert.Equal("NATS/1.0\r\nB: bé\r\nA: three\r\n\r\n", Block(headers));
        headers["b"] = null;
        Assert.True(headers.Remove("a"));
        Assert.False(headers.Remove("a"));
        Assert.True(headers.ToBlock().IsEmpty);
    }

    [Fact]
    public void A_block_becomes_names_and_values_and_its_status()
    {
        var headers = new MessageHeaders("NATS/1.0 503 Nobody\r\nKey: v:1 \r\nEmpty:\r\nkey:2\r\n\r\nrest: no\r\n"u8);
        Assert.Equal(503, headers.Status);
        Assert.Equal("v:1", headers["KEY"]);
        Assert.Equal(["v:1", "2"], headers.GetAll("key"));
        Assert.Equal("", headers["empty"]);
        Assert.Null(headers["rest"]);
        Assert.Equal(["Key", "Empty", "key"], headers.Select(h => h.Key));
        Assert.Empty(new MessageHeaders(default(ReadOnlySpan<byte>)));
    }

    [Theory]
    [InlineData("HTTP/1.1\r\n\r\n")]
    [InlineData(" NATS/1.0\r\n\r\n")]
    public void A_text_that_is_not_a_header_block_is_refused(string block)
        => Assert.Throws<FormatException>(() => new MessageHeaders(Encoding.UTF8.GetBytes(block)));

    [Theory]
    [InlineData("no colon")]
    [InlineData(": no name")]
    [InlineData(":")]
    [InlineData(" folded line")]
    [InlineData(" folded: line")]
    [InlineData("\tfolded: line")]
    public void A_line_that_is_no_header_is_left_out_and_the_others_are_read(string line)
    {
        var headers = new MessageHeaders(Encoding.UTF8.GetBytes($"NATS/1.0\r\nA: 1\r\n{line}\r\nB: 2\r\n\r\n"));
        Assert.Equal([new("A", "1"), new("B", "2")], headers);
    }

    [Theory]
    [InlineData("a b", "x")]
    [InlineData("a:b", "x")]
    [InlineData("é", "x")]
    [InlineData("", "x")]
    [InlineData("a", "x\r\nB: y")]
    [InlineData("a", "x\n")]
    public void A_header_that_would_break_the_block_is_refused(string name, string value)
        => Assert.ThrowsAny<ArgumentException>(() => new MessageHeaders().Add(name, value));

    [Fact]
    public void Every_prefix_of_a_block_is_read_or_refused()
    {
        byte[] block = "NATS/1.0\r\nKey: value\r\nOther: more\r\n\r\n"u8.ToArray();
        for (int i = 1; i < block.Length; i++)
        {
            try
            {
                Assert.InRange(new MessageHeaders(block.AsSpan(0, i)).Count, 0, 2);
            }
            catch (FormatException)
            {
                // The block was cut inside the version or a name.
            }
        }
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task Headers_can_be_used_wherever_a_block_is_expected(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await using BrokerConnection client = await Patient.ConnectAsync(server.Options, Token);
        client.Subscribe("echo", (in MessageView m) => m.Respond(m.Body, new MessageHeaders(m.Headers) { ["Added"] = "yes" }));
        var headers = new MessageHeaders { ["Trace"] = "1" };
        Message answer = await client.RequestAsync("echo", default, Wait.Limit, headers, Token);
        var back = new MessageHeaders(answer.Headers.Span);
        Assert.Equal(("1", "yes"), (back["trace"], back["added"]));
    }
}
