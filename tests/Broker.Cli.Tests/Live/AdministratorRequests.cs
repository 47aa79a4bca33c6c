using System.Net;
using System.Text.Json;

namespace Broker.Cli.Tests.Live;

/// <summary>The requests of an administrator as the live page sends them.</summary>
internal static class AdministratorRequests
{
    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    /// <summary>Sends an action, and returns the status of the answer.</summary>
    public static async Task<HttpStatusCode> PostAsync(HttpClient http, string action, params (string Name, string Value)[] form)
    {
        using HttpRequestMessage request = await CreateAsync(http, action, form);
        using HttpResponseMessage answer = await http.SendAsync(request, Ended);
        return answer.StatusCode;
    }

    /// <summary>Creates the request of an action, with what the live page adds to it.</summary>
    public static async Task<HttpRequestMessage> CreateAsync(HttpClient http, string action, params (string Name, string Value)[] form)
    {
        using var state = JsonDocument.Parse(await http.GetStringAsync("admin", Ended));
        var request = new HttpRequestMessage(HttpMethod.Post, $"admin/{action}")
        {
            Content = new FormUrlEncodedContent(form.Select(static f => KeyValuePair.Create(f.Name, f.Value))),
        };
        request.Headers.Add("Origin", http.BaseAddress!.GetLeftPart(UriPartial.Authority));
        request.Headers.Add(state.RootElement.GetProperty("header").GetString()!, state.RootElement.GetProperty("token").GetString());
        return request;
    }
}
