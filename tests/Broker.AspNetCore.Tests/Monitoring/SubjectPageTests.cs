using System.Text.Json;
using Broker.AspNetCore.Tests.Harness;

namespace Broker.AspNetCore.Tests.Monitoring;

/// <summary>The page <c>/subjectz</c>.</summary>
public sealed class SubjectPageTests
{
    [Fact]
    public async Task The_page_lists_sampled_subjects_with_their_account()
    {
        await using Site site = await Site.StartAsync(static o => o.SampleSubjects = 1);
        using LineClient client = site.Connect();
        client.Send("PUB a 5\r\nhello\r\nPUB b 1\r\nx\r\nPUB a 5\r\nhello\r\n");
        client.Sync();
        JsonElement page = await site.GetAsync("subjectz");
        Assert.Equal(1, page.GetProperty("sample_subjects").GetInt32());
        Assert.Equal(
            ["""{"account":"$G","subject":"a","msgs":2,"bytes":10}""", """{"account":"$G","subject":"b","msgs":1,"bytes":1}"""],
            page.GetProperty("subjects").EnumerateArray().Select(static s => JsonSerializer.Serialize(s)));
    }

    [Fact]
    public async Task Without_sampling_the_page_is_empty()
    {
        await using Site site = await Site.StartAsync();
        using LineClient client = site.Connect();
        client.Send("PUB a 5\r\nhello\r\n");
        client.Sync();
        JsonElement page = await site.GetAsync("subjectz");
        Assert.Equal(0, page.GetProperty("sample_subjects").GetInt32());
        Assert.Equal(0, page.GetProperty("subjects").GetArrayLength());
    }
}
