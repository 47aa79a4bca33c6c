namespace Broker.Streams.Tests.Api;

/// <summary>
/// A push consumer may deliver to any subject, also to one on which the streams themselves receive requests. They then
/// receive a message whose subject is that of the stored message.
/// </summary>
public sealed class DeliveryToTheApiTests
{
    private const int Messages = 500;
    private const int RequestsForEach = 5;

    [Theory]
    [InlineData("$JS.API.x")]
    [InlineData("$JS.d.API.x")]
    [InlineData("$JS.ACK.x")]
    [InlineData("$JS.FC.x")]
    public async Task Each_request_is_answered_while_a_consumer_delivers_to_a_subject_of_the_streams(string subject)
    {
        var faults = new List<Exception>();
        await using ApiSite site = await ApiSite.StartAsync(domain: "d", onFault: faults.Add);
        await site.CreateAsync("S", "\"subjects\":[\"s\"]");
        string config = $$"""{"stream_name":"S","config":{ "name":"C","ack_policy":"none","deliver_subject":"{{subject}}" } }""";
        Assert.Equal(0, await CodeAsync("CONSUMER.CREATE.S.C", config));
        var asked = new List<Task<int>>();
        for (int i = 0; i < Messages; i++)
        {
            // The stored message comes back to the streams in the same batch as some of the requests.
            await site.PublishAsync("s");
            for (int j = 0; j < RequestsForEach; j++)
            {
                asked.Add(CodeAsync("STREAM.INFO.S"));
            }
        }

        Assert.All(await Task.WhenAll(asked), static code => Assert.Equal(0, code));
        Assert.Empty(faults);

        async Task<int> CodeAsync(string operation, string body = "") => ApiSite.CodeOf(await site.CallAsync(operation, body));
    }
}
