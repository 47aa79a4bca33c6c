using Broker.Structure.Tests.Planted.Upper;

namespace Broker.Structure.Tests.Planted.Lower;

/// <summary>The other half of the circle: it mentions a type of the folder Upper.</summary>
internal static class PlantedEnd
{
    internal static int Value => nameof(PlantedCaller).Length + typeof(PlantedCaller).GetHashCode();
}
