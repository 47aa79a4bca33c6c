using Broker.Client.Tests.Support;

namespace Broker.Client.Tests.Services;

public sealed class ServiceDocumentTests
{
    [Fact]
    public void The_page_shows_the_sample()
        => Assert.Contains($"```csharp\n{Pages.Read("samples", "Messaging", "Calculator.cs")}```", Pages.Read("docs", "services.md"), StringComparison.Ordinal);
}
